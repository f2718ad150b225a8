import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { CodeField } from '../../common/code-field';
import { Dialog } from '../../common/dialog';
import { formErrors } from '../../common/field-errors';
import { Form } from '../../common/form';
import { PasswordField } from '../../common/password-field';
import { profileText } from '../../text/profile-text';

const t = profileText.secondFactor;

/** The password and a code. */
export interface Proof {
  readonly currentPassword: string;
  readonly code: string;
}

export interface ConfirmDialogProps {
  readonly title: string;
  readonly hint: string;
  readonly submitLabel: string;
  readonly isDangerous?: boolean;
  readonly onConfirm: (proof: Proof) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks for the password and a code before a change of the second factor. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  const { title, hint, submitLabel, isDangerous = false, onConfirm, onClose } = props;
  const [currentPassword, setCurrentPassword] = useState('');
  const [code, setCode] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => onConfirm({ currentPassword, code }),
  });
  const { fields, rest } = formErrors(error, ['currentPassword', 'code']);
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Form
        submitLabel={submitLabel}
        isDangerous={isDangerous}
        isPending={isPending}
        error={error}
        problem={rest}
        onCancel={onClose}
        onSubmit={() => {
          mutate();
        }}
      >
        <Text>{hint}</Text>
        <PasswordField
          label={profileText.password.current}
          name="currentPassword"
          autoComplete="current-password"
          hasFocus
          value={currentPassword}
          error={fields.currentPassword}
          onChange={setCurrentPassword}
        />
        <CodeField
          label={t.code}
          description={t.codeHint}
          value={code}
          error={fields.code}
          onChange={setCode}
        />
      </Form>
    </Dialog>
  );
}
