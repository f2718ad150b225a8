import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Dialog } from './dialog';
import { formErrors } from './field-errors';
import { Form } from './form';

export interface ConfirmProps {
  readonly title: string;
  /** The consequences, and whether they can be undone. */
  readonly message: ReactNode;
  readonly submitLabel: string;
  /** Shows the button in red, for an action that deletes data or revokes access. */
  readonly isDangerous?: boolean;
  /** Returns a message in place of the text of an error; undefined for that text. */
  readonly problemOf?: (error: unknown) => ReactNode;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks for confirmation. If the action fails, the dialog stays open and shows the reason. */
export function Confirm({ isDangerous = true, ...props }: ConfirmProps): ReactNode {
  const { mutate, isPending, error } = useMutation({
    mutationFn: props.onConfirm,
    onSuccess: props.onClose,
  });
  return (
    <Dialog title={props.title} isOpen isShort onClose={props.onClose}>
      <Form
        submitLabel={props.submitLabel}
        isDangerous={isDangerous}
        isPending={isPending}
        error={error}
        problem={props.problemOf?.(error) ?? formErrors(error, []).rest}
        onCancel={props.onClose}
        onSubmit={() => {
          mutate();
        }}
      >
        <Text>{props.message}</Text>
      </Form>
    </Dialog>
  );
}
