import { Alert, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { request } from '../api/client';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { formatDateAndTime } from '../common/time';
import { mayReadAudit } from '../session/role';
import { useSession } from '../session/session-context';
import { Page } from '../shell/page';
import { actorOf, circumstancesOf, targetOf, titleOf, type AuditEvent } from './audit-event';
import './audit.css';

const PAGE_SIZE = 50;

export default function AuditPage(): ReactNode {
  const { user } = useSession();
  if (mayReadAudit(user.role)) return <Audit />;
  return (
    <Page title="Audit log">
      <Alert color="yellow">Only owners of the account can read its audit log.</Alert>
    </Page>
  );
}

function Audit(): ReactNode {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    {
      queryKey: ['audit'],
      queryFn: async ({ pageParam, signal }) => {
        const query = { limit: PAGE_SIZE, cursor: pageParam };
        return request<readonly AuditEvent[]>('GET', '/audit', { query, signal });
      },
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ meta }) => meta?.nextCursor ?? undefined,
    },
  );
  const events = data?.pages.flatMap((page) => page.data);
  return (
    <Page title="Audit log">
      <Text mb="lg" maw="36rem">
        Changes and sign-ins in this account, newest first.
      </Text>
      {!events && !error && <Loading />}
      <Stack component="ul" className="plain-list" gap="xs">
        {events?.map((event) => (
          <AuditItem key={event.id} event={event} />
        ))}
      </Stack>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {hasNextPage && (
        <Group mt="md">
          <Button
            variant="default"
            loading={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            Show earlier events
          </Button>
        </Group>
      )}
    </Page>
  );
}

function AuditItem({ event }: { readonly event: AuditEvent }): ReactNode {
  const about = [targetOf(event), circumstancesOf(event)].filter((part) => part !== undefined);
  return (
    <Paper component="li" withBorder px="md" py="xs">
      <Group justify="space-between" gap="xs">
        <div className="audit-what">
          <Text>
            <Text span fw={600}>
              {titleOf(event)}
            </Text>{' '}
            {about.join(', ')}
          </Text>
          <Text size="sm" c="dimmed">
            {actorOf(event)}
          </Text>
        </div>
        <Text size="sm" c="dimmed" component="time" dateTime={event.at}>
          {formatDateAndTime(event.at)}
        </Text>
      </Group>
    </Paper>
  );
}
