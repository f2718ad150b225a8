import { Alert, Button, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useLocation } from 'react-router';
import { messageOf } from '../api/api-error';
import { request } from '../api/client';
import { Loading } from '../common/loading';
import { type Query } from '../query-client';
import { useSession } from '../session/session-context';
import { Page } from '../shell/page';
import { applicationsText } from '../text/applications-text';
import { AuthorizeForm } from './authorize-form';

const t = applicationsText.authorize;

/** A request of an application for access. */
export interface AuthorizationRequest {
  readonly application: { readonly name: string; readonly verifiedHost: string | null };
  readonly redirectHost: string;
  readonly isLocal: boolean;
  /** Why the request cannot be allowed. */
  readonly problem: string | null;
  readonly audience: 'mcp' | 'api' | null;
  readonly scopes: readonly string[];
  /** Leads back without access. */
  readonly denyUrl: string;
}

const authorizationQuery = (query: string): Query<AuthorizationRequest> =>
  queryOptions({
    queryKey: ['authorization', query],
    queryFn: async ({ signal }) => {
      const options = { body: { query }, signal };
      return (await request<AuthorizationRequest>('POST', '/applications/request', options)).data;
    },
    // The user decides about what was shown.
    staleTime: Infinity,
    retry: false,
  });

/** Asks the user whether an application, which has sent the browser here, gets access. */
export default function AuthorizePage(): ReactNode {
  const query = useLocation().search.slice(1);
  const { data, error } = useQuery(authorizationQuery(query));
  return (
    <Page title={t.title} isNarrow>
      {error && (
        <Alert color="red" role="alert">
          {messageOf(error)}
        </Alert>
      )}
      {!data && !error && <Loading />}
      {data && <Decision request={data} query={query} />}
    </Page>
  );
}

interface DecisionProps {
  readonly request: AuthorizationRequest;
  readonly query: string;
}

function Decision({ request: asked, query }: DecisionProps): ReactNode {
  const { user, account } = useSession();
  const { application, redirectHost, isLocal, problem, audience } = asked;
  const { name, verifiedHost } = application;
  if (problem !== null) {
    return (
      <>
        <Alert color="red" role="alert" title={t.problem}>
          {problem}
        </Alert>
        <Button component="a" href={asked.denyUrl} variant="default" mt="md">
          {t.back(redirectHost)}
        </Button>
      </>
    );
  }
  return (
    <>
      <Text fw={550}>{t.asks(name)}</Text>
      <Text size="sm" c="dimmed" mb="md">
        {t.as(user.email, account.name)}
      </Text>
      <Alert color={verifiedHost === null || isLocal ? 'yellow' : 'blue'} mb="md">
        {verifiedHost === null ? t.unverified : t.verified(verifiedHost)}{' '}
        {isLocal ? t.local(redirectHost) : t.sendsTo(redirectHost)}
      </Alert>
      {audience && (
        <Text size="sm" mb="md">
          {t.audiences[audience]}
        </Text>
      )}
      <AuthorizeForm request={asked} query={query} />
    </>
  );
}
