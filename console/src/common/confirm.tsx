import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Dialog } from './dialog';
import { formErrors } from './field-errors';
import { Form } from './form';

export interface ConfirmProps {
  readonly title: string;
  /** What will happen, and whether it can be undone. */
  readonly question: ReactNode;
  readonly submitLabel: string;
  /** Something is lost or refused by it. */
  readonly isDangerous?: boolean;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** A question before something is done. It stays open, with the reason, where that fails. */
export function Confirm({ isDangerous = true, ...props }: ConfirmProps): ReactNode {
  const { mutate, isPending, error } = useMutation({
    mutationFn: props.onConfirm,
    onSuccess: props.onClose,
  });
  return (
    <Dialog title={props.title} isOpen onClose={props.onClose}>
      <Form
        submitLabel={props.submitLabel}
        isDangerous={isDangerous}
        isPending={isPending}
        error={error}
        problem={formErrors(error, []).rest}
        onCancel={props.onClose}
        onSubmit={() => {
          mutate();
        }}
      >
        <Text>{props.question}</Text>
      </Form>
    </Dialog>
  );
}
