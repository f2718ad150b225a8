import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { isApiError } from '../api/api-error';
import { request } from '../api/client';
import type { Session } from '../api/types';
import { formErrors } from '../common/field-errors';
import { Form } from '../common/form';
import { PasswordField } from '../common/password-field';
import { beginSession } from '../session/session-query';

export function SignInForm(): ReactNode {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const options = { body: { email: email.trim(), password }, isSessionQuiet: true };
      return (await request<Session>('POST', '/session', options)).data;
    },
    onSuccess: beginSession,
  });
  const { fields, rest } = formErrors(error, ['email', 'password']);
  const isRefused = isApiError(error, 'unauthenticated');
  return (
    <Form
      submitLabel="Sign in"
      isWide
      isPending={isPending}
      error={error}
      problem={isRefused ? 'E-mail and password do not belong together.' : rest}
      onSubmit={() => {
        mutate();
      }}
    >
      <TextInput
        label="E-mail"
        type="email"
        name="email"
        autoComplete="username"
        value={email}
        error={fields.email}
        onChange={(event) => {
          setEmail(event.currentTarget.value);
        }}
      />
      <PasswordField
        label="Password"
        name="password"
        autoComplete="current-password"
        value={password}
        error={fields.password}
        onChange={setPassword}
      />
    </Form>
  );
}
