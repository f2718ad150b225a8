import { Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { request } from '../../api/client';
import { CodeField } from '../../common/code-field';
import { CopyField } from '../../common/copy-field';
import { Dialog } from '../../common/dialog';
import { formErrors } from '../../common/field-errors';
import { Form } from '../../common/form';
import { PasswordField } from '../../common/password-field';
import { reloadSession } from '../../session/session-query';
import { profileText } from '../../text/profile-text';
import { reloadSessions } from '../sessions/sessions-query';
import { reloadFactors } from './factor-query';
import { QrCode } from './qr-code';
import { RecoveryCodes } from './recovery-codes';

const t = profileText.secondFactor;

/** A secret for an authenticator app. */
interface Enrollment {
  readonly secret: string;
  readonly uri: string;
}

/** Sets up an authenticator app in three steps: password, code, recovery codes. */
export function SetUpDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [enrollment, setEnrollment] = useState<Enrollment>();
  const [codes, setCodes] = useState<readonly string[]>();
  return (
    <Dialog title={t.setUp} isOpen isFirm={codes !== undefined} onClose={onClose}>
      {codes ? (
        <RecoveryCodes codes={codes} onClose={onClose} />
      ) : enrollment ? (
        <CodeStep enrollment={enrollment} onDone={setCodes} onCancel={onClose} />
      ) : (
        <PasswordStep onDone={setEnrollment} onCancel={onClose} />
      )}
    </Dialog>
  );
}

interface StepProps<T> {
  readonly onDone: (result: T) => void;
  readonly onCancel: () => void;
}

function PasswordStep({ onDone, onCancel }: StepProps<Enrollment>): ReactNode {
  const [currentPassword, setCurrentPassword] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () =>
      (await request<Enrollment>('POST', '/factors/totp', { body: { currentPassword } })).data,
    onSuccess: onDone,
  });
  const { fields, rest } = formErrors(error, ['currentPassword']);
  return (
    <Form
      submitLabel={t.next}
      isPending={isPending}
      error={error}
      problem={rest}
      onCancel={onCancel}
      onSubmit={() => {
        mutate();
      }}
    >
      <PasswordField
        label={profileText.password.current}
        name="currentPassword"
        autoComplete="current-password"
        hasFocus
        value={currentPassword}
        error={fields.currentPassword}
        onChange={setCurrentPassword}
      />
    </Form>
  );
}

interface CodeStepProps extends StepProps<readonly string[]> {
  readonly enrollment: Enrollment;
}

function CodeStep({ enrollment, onDone, onCancel }: CodeStepProps): ReactNode {
  const [code, setCode] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const options = { body: { code } };
      const path = '/factors/totp/confirmation';
      return (await request<{ recoveryCodes: readonly string[] }>('POST', path, options)).data;
    },
    onSuccess: async ({ recoveryCodes }) => {
      onDone(recoveryCodes);
      await Promise.all([reloadFactors(), reloadSessions(), reloadSession()]);
    },
    // The response of a confirmation can be lost.
    onError: () => Promise.all([reloadFactors(), reloadSession()]),
  });
  const { fields, rest } = formErrors(error, ['code']);
  return (
    <Form
      submitLabel={t.turnOn}
      isPending={isPending}
      error={error}
      problem={rest}
      onCancel={onCancel}
      onSubmit={() => {
        mutate();
      }}
    >
      <Text>{t.scan}</Text>
      <Stack align="center">
        <QrCode text={enrollment.uri} label={t.qrCode} />
      </Stack>
      <CopyField label={t.secret} text={enrollment.secret} copyLabel={t.copySecret} />
      <CodeField label={t.code} hasFocus value={code} error={fields.code} onChange={setCode} />
    </Form>
  );
}
