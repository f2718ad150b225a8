import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore, type ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { sessionQuery } from '../session/session-query';
import { onSignedOutReason, signedOutReason } from '../session/signed-out-reason';
import { Page } from '../shell/page';
import { SignInForm } from './sign-in-form';

const SENTENCES = {
  ended: 'Your session has ended. Sign in again to continue.',
  suspended: 'Your user or your account is suspended. An owner of the account can resume it.',
};

/** Returns to the requested page after the sign-in. */
export default function SignInPage(): ReactNode {
  const { data: session } = useQuery(sessionQuery);
  const { state } = useLocation() as { state: { from?: string } | null };
  const reason = useSyncExternalStore(onSignedOutReason, signedOutReason);
  if (session) return <Navigate to={state?.from ?? '/'} replace />;
  return (
    <Page title="Sign in" isNarrow>
      {reason && (
        <Alert color="yellow" mb="md" role="alert">
          {SENTENCES[reason]}
        </Alert>
      )}
      <SignInForm />
      <Text size="sm" c="dimmed" mt="lg">
        No password yet, or forgotten? An owner of your account can create a link for you to set
        one.
      </Text>
    </Page>
  );
}
