import { Alert, Button, Code, Group } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { request } from '../api/client';
import { CopyButton } from '../common/copy-button';
import { DataTable, type TableColumn } from '../common/data-table';
import { FactList } from '../common/fact-list';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { formatDateAndTime, formatRelative } from '../common/time';
import { mayReadAudit } from '../session/role';
import { useSession } from '../session/session-context';
import { Page } from '../shell/page';
import { auditText } from '../text/audit-text';
import { actorOf, circumstancesOf, targetOf, titleOf, type AuditEvent } from './audit-event';

const t = auditText;

const PAGE_SIZE = 50;

/** Returns what was changed, and how. */
const objectOf = (event: AuditEvent): string =>
  [targetOf(event), circumstancesOf(event)].filter(Boolean).join(', ');

const COLUMNS: readonly TableColumn<AuditEvent>[] = [
  { title: t.event, cell: titleOf, textOf: titleOf },
  { title: t.target, width: '46%', line: 'plain', cell: objectOf, textOf: objectOf },
  { title: t.actor, width: '54%', line: 'plain', cell: actorOf, textOf: actorOf },
  {
    title: t.time,
    isTime: true,
    cell: ({ at }) => (
      <time dateTime={at} title={formatRelative(at)} className="quiet">
        {formatDateAndTime(at)}
      </time>
    ),
  },
];

/** The object with its id, the actor and the exact time. */
function EventDetails({ event }: { readonly event: AuditEvent }): ReactNode {
  const { id } = event.target;
  return (
    <FactList
      facts={[
        { name: t.target, value: objectOf(event) },
        {
          name: t.targetId,
          value: (
            <>
              <Code>{id}</Code>
              <CopyButton text={id} label={t.copyId} size="compact-xs" />
            </>
          ),
        },
        { name: t.actor, value: actorOf(event) },
        { name: t.time, value: event.at },
      ].filter(({ value }) => value !== '')}
    />
  );
}

export default function AuditPage(): ReactNode {
  const { user } = useSession();
  if (mayReadAudit(user.role)) return <Audit />;
  return (
    <Page title={t.title}>
      <Alert color="yellow">{t.forbidden}</Alert>
    </Page>
  );
}

function Audit(): ReactNode {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    {
      queryKey: ['audit'],
      queryFn: async ({ pageParam, signal }) => {
        const query = { limit: PAGE_SIZE, cursor: pageParam };
        return request<readonly AuditEvent[]>('GET', '/data/audit-events', { query, signal });
      },
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ meta }) => meta?.nextCursor ?? undefined,
    },
  );
  const events = data?.pages.flatMap((page) => page.data);
  return (
    <Page title={t.title} intro={t.hint}>
      {!events && !error && <Loading />}
      {events && (
        <DataTable
          label={t.label}
          columns={COLUMNS}
          items={events}
          idOf={({ id }) => id}
          detailsOf={(event) => <EventDetails event={event} />}
        />
      )}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {hasNextPage && (
        <Group mt="md">
          <Button
            variant="default"
            loading={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {t.earlier}
          </Button>
        </Group>
      )}
    </Page>
  );
}
