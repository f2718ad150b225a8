import { Button, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { CodeField } from '../common/code-field';
import { Dialog } from '../common/dialog';
import { formErrors } from '../common/field-errors';
import { Form } from '../common/form';
import { PasswordField } from '../common/password-field';
import { signInText } from '../text/sign-in-text';
import { text } from '../text/text';
import { factorsQuery, hasFactor, reloadFactors } from './factors-query';
import { canUsePasskeys, provePasskey, type PasskeyResponse } from './passkey';
import { useSession } from './session-context';

/**
 * What proves the user: a passkey, or the password with a code if sign-ins ask for one; empty if a provider has just
 * signed the user in.
 */
export interface Proof {
  readonly currentPassword?: string;
  readonly code?: string;
  readonly passkey?: PasskeyResponse;
}

export interface ProofFormProps {
  readonly hint?: string;
  readonly submitLabel: string;
  readonly isDangerous?: boolean;
  readonly onProve: (proof: Proof) => Promise<unknown>;
  readonly onCancel: () => void;
}

/** Asks the user to sign in again for a change that a session alone must not make. */
export function ProofForm(props: ProofFormProps): ReactNode {
  const { provider } = useSession();
  const [isProven] = useState(
    () => provider?.provesUntil !== undefined && Date.parse(provider.provesUntil) > Date.now(),
  );
  return isProven ? <ConfirmForm {...props} /> : <CredentialsForm {...props} />;
}

/** Asks a user whom a provider has just signed in only to confirm. */
function ConfirmForm(props: ProofFormProps): ReactNode {
  const { hint, submitLabel, isDangerous = false, onProve, onCancel } = props;
  const { mutate, isPending, error } = useMutation({ mutationFn: () => onProve({}) });
  return (
    <Form
      submitLabel={submitLabel}
      isDangerous={isDangerous}
      isPending={isPending}
      error={error}
      problem={formErrors(error, []).rest}
      onCancel={onCancel}
      onSubmit={() => {
        mutate();
      }}
    >
      {hint && <Text>{hint}</Text>}
    </Form>
  );
}

function CredentialsForm(props: ProofFormProps): ReactNode {
  const { provider } = useSession();
  const { pathname, search } = useLocation();
  const { hint, submitLabel, isDangerous = false, onProve, onCancel } = props;
  const { data: factors } = useQuery(factorsQuery);
  const needsCode = factors !== undefined && hasFactor(factors);
  const hasPasskey = canUsePasskeys && (factors?.passkeys.length ?? 0) > 0;
  const [currentPassword, setCurrentPassword] = useState('');
  const [code, setCode] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (isPasskey: boolean) => {
      if (isPasskey) return onProve({ passkey: await provePasskey() });
      return onProve({ currentPassword, ...(needsCode && { code }) });
    },
    // Another tab may have added or removed a factor.
    onError: reloadFactors,
  });
  const names = needsCode ? (['currentPassword', 'code'] as const) : (['currentPassword'] as const);
  const { fields, rest } = formErrors<'currentPassword' | 'code'>(error, names);
  return (
    <Form
      submitLabel={submitLabel}
      isDangerous={isDangerous}
      isPending={isPending}
      error={error}
      problem={rest}
      onCancel={onCancel}
      onSubmit={() => {
        mutate(false);
      }}
    >
      {hint && <Text>{hint}</Text>}
      {provider && (
        <Button
          component={Link}
          to={`/sign-in/${provider.id}`}
          state={{ from: pathname + search }}
          variant="default"
        >
          {signInText.provider.againWith(provider.name)}
        </Button>
      )}
      {hasPasskey && (
        <Button
          variant="default"
          disabled={isPending}
          onClick={() => {
            mutate(true);
          }}
        >
          {text.passkeys.use}
        </Button>
      )}
      <PasswordField
        label={text.passwords.current}
        name="currentPassword"
        autoComplete="current-password"
        hasFocus={!hasPasskey}
        value={currentPassword}
        error={fields.currentPassword}
        onChange={setCurrentPassword}
      />
      {needsCode && (
        <CodeField
          label={text.codes.label}
          description={factors.totp ? text.codes.hint : text.codes.recoveryHint}
          value={code}
          error={fields.code}
          onChange={setCode}
        />
      )}
    </Form>
  );
}

export interface ProofDialogProps extends Omit<ProofFormProps, 'onProve' | 'onCancel'> {
  readonly title: string;
  readonly onConfirm: (proof: Proof) => Promise<unknown>;
  readonly onClose: () => void;
}

/** A dialog that explains a change, and asks the user to sign in again for it. */
export function ProofDialog({ title, onConfirm, onClose, ...props }: ProofDialogProps): ReactNode {
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <ProofForm {...props} onProve={onConfirm} onCancel={onClose} />
    </Dialog>
  );
}
