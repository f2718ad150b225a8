import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore, type ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { hasUnsaved } from '../common/leave-guard';
import { sessionQuery } from '../session/session-query';
import { onSignedOutReason, signedOutReason } from '../session/signed-out-reason';
import { Page } from '../shell/page';
import { signInText } from '../text/sign-in-text';
import { SignInForm } from './sign-in-form';

/** Returns to the requested page after the sign-in. */
export default function SignInPage(): ReactNode {
  const { data: session } = useQuery(sessionQuery);
  const { state } = useLocation() as { state: { from?: string } | null };
  const reason = useSyncExternalStore(onSignedOutReason, signedOutReason);
  if (session) return <Navigate to={state?.from ?? '/'} replace />;
  return (
    <Page title={signInText.title} isNarrow>
      {reason && (
        <Alert color="yellow" mb="md" role="alert">
          {signInText.ended[reason]} {reason === 'ended' && hasUnsaved() && signInText.ended.kept}
        </Alert>
      )}
      <SignInForm />
      <Text size="sm" c="dimmed" mt="lg">
        {signInText.noPassword}
      </Text>
    </Page>
  );
}
