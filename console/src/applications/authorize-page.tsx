import { Alert, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useLocation } from 'react-router';
import { messageOf } from '../api/api-error';
import { Loading } from '../common/loading';
import { useSession } from '../session/session-context';
import { Page } from '../shell/page';
import { applicationsText } from '../text/applications-text';
import { type AuthorizationRequest, authorizationQuery } from './authorization-query';
import { AuthorizeForm } from './authorize-form';

const t = applicationsText.authorize;

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
  const { name, clientId, documentHost } = application;
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
      <Alert color={!isLocal && redirectHost === documentHost ? 'blue' : 'yellow'} mb="md">
        {t.warning} {documentHost !== null && t.describes(clientId)}{' '}
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
