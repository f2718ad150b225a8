import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { request } from '../api/client';
import type { FactorChoice, Session } from '../api/types';
import { formErrors } from '../common/field-errors';
import { Form } from '../common/form';
import { PasswordField } from '../common/password-field';
import { beginSession, endSession } from '../session/session-query';
import { signInText } from '../text/sign-in-text';
import { text } from '../text/text';

export interface InviteFormProps {
  readonly email: string;
  readonly token: string;
}

export function InviteForm({ email, token }: InviteFormProps): ReactNode {
  const navigate = useNavigate();
  const [password, setPassword] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const options = { body: { password }, isSessionQuiet: true };
      const path = `/invites/${encodeURIComponent(token)}`;
      return (await request<Session | FactorChoice>('POST', path, options)).data;
    },
    onSuccess: async (response) => {
      if ('csrfToken' in response) {
        beginSession(response);
        await navigate('/', { replace: true });
        return;
      }
      // The session of this browser, which can be that of another user, has ended.
      endSession();
      notifications.show({ message: signInText.invite.signIn });
      await navigate('/sign-in', { replace: true });
    },
  });
  const { fields, rest } = formErrors(error, ['password']);
  return (
    <Form
      submitLabel={signInText.invite.submit}
      isWide
      isPending={isPending}
      error={error}
      problem={rest}
      onSubmit={() => {
        mutate();
      }}
    >
      {/* Tells a password manager whose password this is. */}
      <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label={signInText.invite.password}
        name="password"
        autoComplete="new-password"
        description={text.passwords.hint}
        value={password}
        error={fields.password}
        onChange={setPassword}
      />
    </Form>
  );
}
