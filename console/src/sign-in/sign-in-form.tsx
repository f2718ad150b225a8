import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { isApiError } from '../api/api-error';
import { request } from '../api/client';
import type { AccountChoice, FactorChoice, Session } from '../api/types';
import { formErrors } from '../common/field-errors';
import { Form } from '../common/form';
import { PasswordField } from '../common/password-field';
import { beginSession } from '../session/session-query';
import { signInText } from '../text/sign-in-text';
import { ChooseAccount } from './choose-account';
import { CodeForm } from './code-form';
import { PasskeyButton } from './passkey-button';
import { ProviderChoice, ProviderSearch } from './provider-search';

/** Properties of a sign-in in addition to the email address and the password. */
interface SignInExtras {
  readonly accountId?: string | undefined;
  readonly code?: string;
}

export function SignInForm(): ReactNode {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [isSearching, setIsSearching] = useState(false);
  const [next, setNext] = useState<AccountChoice | FactorChoice>();
  const { mutate, reset, isPending, error, variables } = useMutation({
    mutationFn: async (extras: SignInExtras) => {
      const body = { email: email.trim(), password, ...extras };
      const options = { body, isSessionQuiet: true };
      type SignInResponse = Session | AccountChoice | FactorChoice;
      return (await request<SignInResponse>('POST', '/session', options)).data;
    },
    onSuccess: (response) => {
      if ('csrfToken' in response) beginSession(response);
      else setNext(response);
    },
    onError: (failure) => {
      // The password has changed meanwhile, so the form asks for it again.
      if (isApiError(failure, 'unauthenticated')) setNext(undefined);
    },
  });
  const { fields, rest } = formErrors(error, ['email', 'password']);
  const isRejected = isApiError(error, 'unauthenticated');
  const problem = isRejected ? signInText.rejected : rest;
  const back = (): void => {
    setNext(undefined);
    reset();
  };
  if (isSearching) {
    return (
      <ProviderSearch
        email={email}
        onBack={() => {
          setIsSearching(false);
        }}
      />
    );
  }
  if (next && 'factors' in next) {
    return (
      <CodeForm
        factors={next.factors}
        isPending={isPending}
        error={error}
        onSubmit={(code) => {
          mutate({ accountId: variables?.accountId, code });
        }}
        onBack={back}
      />
    );
  }
  if (next) {
    return (
      <ChooseAccount
        accounts={next.accounts}
        pendingId={isPending ? variables.accountId : undefined}
        problem={problem}
        onChoose={(accountId) => {
          mutate({ accountId });
        }}
        onBack={back}
      />
    );
  }
  return (
    <>
      <Form
        submitLabel={signInText.submit}
        isWide
        isPending={isPending}
        error={error}
        problem={problem}
        onSubmit={() => {
          mutate({});
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
      <PasskeyButton />
      <ProviderChoice
        onSearch={() => {
          setIsSearching(true);
        }}
      />
    </>
  );
}
