import { Alert, Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, type ReactNode } from 'react';
import { Link, useLocation, useNavigate, useParams } from 'react-router';
import { messageOf } from '../api/api-error';
import { request } from '../api/client';
import type { Session } from '../api/types';
import { Loading } from '../common/loading';
import { queryClient } from '../query-client';
import { beginSession } from '../session/session-query';
import { Page } from '../shell/page';
import { signInText } from '../text/sign-in-text';
import { providerQuery, rememberProvider, takeReturn } from './provider-query';

/** Where a provider sends the browser after a sign-in. */
export default function ProviderCallbackPage(): ReactNode {
  const { providerId = '' } = useParams();
  const { search } = useLocation();
  const navigate = useNavigate();
  const { mutate, error } = useMutation({
    mutationFn: async () => {
      const options = { body: { query: search.slice(1) }, isSessionQuiet: true };
      const path = `/providers/${encodeURIComponent(providerId)}/session`;
      return (await request<Session>('POST', path, options)).data;
    },
    onSuccess: async (session) => {
      beginSession(session);
      // Only one that has signed somebody in gets a button on the sign-in page.
      await queryClient.query(providerQuery(providerId)).then(rememberProvider, () => undefined);
      await navigate(takeReturn(), { replace: true });
    },
  });
  // A code works once, also if the component is mounted twice.
  const isSent = useRef(false);
  useEffect(() => {
    if (isSent.current) return;
    isSent.current = true;
    mutate();
  }, [mutate]);
  return (
    <Page title={signInText.title} isNarrow>
      {error ? (
        <Alert color="red" role="alert">
          {messageOf(error)}
        </Alert>
      ) : (
        <Loading />
      )}
      {error && (
        <Button component={Link} to={`/sign-in/${providerId}`} fullWidth mt="md">
          {signInText.provider.again}
        </Button>
      )}
    </Page>
  );
}
