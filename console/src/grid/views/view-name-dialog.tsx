import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { AttemptKey } from '../../api/attempt-key';
import { Dialog } from '../../common/dialog';
import { formErrors } from '../../common/field-errors';
import { Form } from '../../common/form';
import { gridText } from '../../text/grid-text';

export interface ViewNameDialogProps {
  readonly title: string;
  readonly submitLabel: string;
  readonly initial: string;
  /** @param key Idempotency key of the change. */
  readonly onSave: (name: string, key: string) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks for the name of a view. */
export function ViewNameDialog(props: ViewNameDialogProps): ReactNode {
  const [name, setName] = useState(props.initial);
  const [attempt] = useState(() => new AttemptKey());
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => attempt.use(name, (key) => props.onSave(name, key)),
    onSuccess: props.onClose,
  });
  const { fields, rest } = formErrors(error, ['name']);
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
          label={gridText.views.name}
          required
          maxLength={200}
          data-autofocus
          value={name}
          error={fields.name}
          onChange={({ currentTarget: { value } }) => {
            setName(value);
          }}
        />
      </Form>
    </Dialog>
  );
}
