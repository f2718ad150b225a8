import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { isApiError } from '../api/api-error';
import { request } from '../api/client';
import type { AccountChoice, Session } from '../api/types';
import { formErrors } from '../common/field-errors';
import { Form } from '../common/form';
import { PasswordField } from '../common/password-field';
import { beginSession } from '../session/session-query';
import { signInText } from '../text/sign-in-text';
import { ChooseAccount } from './choose-account';

export function SignInForm(): ReactNode {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [choice, setChoice] = useState<AccountChoice>();
  const { mutate, reset, isPending, error, variables } = useMutation({
    mutationFn: async (accountId: string | undefined) => {
      const body = { email: email.trim(), password, accountId };
      const options = { body, isSessionQuiet: true };
      return (await request<Session | AccountChoice>('POST', '/session', options)).data;
    },
    onSuccess: (response) => {
      if ('csrfToken' in response) beginSession(response);
      else setChoice(response);
    },
    onError: (failure) => {
      // The password has changed meanwhile, so the form asks for it again.
      if (isApiError(failure, 'unauthenticated')) setChoice(undefined);
    },
  });
  const { fields, rest } = formErrors(error, ['email', 'password']);
  const isRejected = isApiError(error, 'unauthenticated');
  const problem = isRejected ? signInText.rejected : rest;
  if (choice) {
    return (
      <ChooseAccount
        accounts={choice.accounts}
        pendingId={isPending ? variables : undefined}
        problem={problem}
        onChoose={mutate}
        onBack={() => {
          setChoice(undefined);
          reset();
        }}
      />
    );
  }
  return (
    <Form
      submitLabel={signInText.submit}
      isWide
      isPending={isPending}
      error={error}
      problem={problem}
      onSubmit={() => {
        mutate(undefined);
      }}
    >
      <TextInput
        label={signInText.email}
        type="email"
        name="email"
        autoComplete="username"
        autoFocus
        value={email}
        error={fields.email}
        onChange={(event) => {
          setEmail(event.currentTarget.value);
        }}
      />
      <PasswordField
        label={signInText.password}
        name="password"
        autoComplete="current-password"
        value={password}
        error={fields.password}
        onChange={setPassword}
      />
    </Form>
  );
}
