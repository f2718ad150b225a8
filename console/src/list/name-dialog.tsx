import { Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { AttemptKey } from '../api/attempt-key';
import { Dialog } from '../common/dialog';
import { formErrors } from '../common/field-errors';
import { Form } from '../common/form';
import { text } from '../text/text';

export interface NameAndDescription {
  readonly name: string;
  readonly description: string;
}

export interface NameDialogProps {
  readonly title: string;
  readonly submitLabel: string;
  readonly initial?: NameAndDescription;
  /** True for objects without a description. */
  readonly isNameOnly?: boolean;
  /** @param key Idempotency key of the change. */
  readonly onSave: (body: NameAndDescription, key: string) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Edits the name of an object, and its description if it has one. */
export function NameDialog(props: NameDialogProps): ReactNode {
  const [body, setBody] = useState(props.initial ?? { name: '', description: '' });
  const [attempt] = useState(() => new AttemptKey());
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => attempt.use(JSON.stringify(body), (key) => props.onSave(body, key)),
    onSuccess: props.onClose,
  });
  const { fields, rest } = formErrors(error, props.isNameOnly ? ['name'] : ['name', 'description']);
  return (
    <Dialog title={props.title} isOpen onClose={props.onClose}>
      <Form
        submitLabel={props.submitLabel}
        isPending={isPending}
        error={error}
        problem={rest}
        onCancel={props.onClose}
        onSubmit={() => {
          mutate();
        }}
      >
        <TextInput
          label={text.lists.name}
          required
          maxLength={200}
          data-autofocus
          value={body.name}
          error={fields.name}
          onChange={({ currentTarget: { value: name } }) => {
            setBody({ ...body, name });
          }}
        />
        {!props.isNameOnly && (
          <Textarea
            label={text.lists.description}
            autosize
            minRows={2}
            maxRows={6}
            maxLength={2_000}
            value={body.description}
            error={fields.description}
            onChange={({ currentTarget: { value: description } }) => {
              setBody({ ...body, description });
            }}
          />
        )}
      </Form>
    </Dialog>
  );
}
