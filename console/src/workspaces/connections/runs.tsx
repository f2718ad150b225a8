import { Button, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { DataTable, type TableColumn } from '../../common/data-table';
import { Loading } from '../../common/loading';
import { Problem } from '../../common/problem';
import { When } from '../../common/when';
import { connectionsText } from '../../text/connections-text';
import { text } from '../../text/text';
import { datagridNamesQuery } from '../../datagrids/datagrid-names';
import { StatusBadge } from '../status-badge';
import { bytesText, runSeconds, type ConnectionRun } from './connection';
import { useRuns, type ConnectionRef } from './connection-calls';

const t = connectionsText.runs;

/** Lists the runs of a connection, newest first. */
export function Runs({ at }: { readonly at: ConnectionRef }): ReactNode {
  const { data: runs, error, refetch, isFetching, ...more } = useRuns(at);
  const { hasNextPage, fetchNextPage, isFetchingNextPage } = more;
  const { data: datagrids } = useQuery(datagridNamesQuery(at.workspaceId));
  return (
    <section aria-labelledby="runs">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4" id="runs">
          {t.title}
        </Title>
        <Button
          variant="default"
          size="xs"
          loading={isFetching && !isFetchingNextPage}
          onClick={() => void refetch()}
        >
          {text.actions.refresh}
        </Button>
      </Group>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {!runs && !error && <Loading />}
      {runs?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t.none}
        </Text>
      )}
      {runs && runs.length > 0 && (
        <DataTable
          label={t.title}
          columns={columnsOf(datagrids?.names)}
          items={runs}
          idOf={({ id }) => id}
          noteOf={({ error: reason }) =>
            reason !== null && (
              <Text size="sm" className="table-error">
                {reason}
              </Text>
            )
          }
        />
      )}
      {hasNextPage && (
        <Button
          mt="md"
          variant="default"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {t.earlier}
        </Button>
      )}
    </section>
  );
}

/** @param names Names of datagrids by id. */
function columnsOf(names: ReadonlyMap<string, string> | undefined): TableColumn<ConnectionRun>[] {
  const { columns } = t;
  return [
    {
      title: columns.datagrid,
      cell: ({ datagridId }) => names?.get(datagridId) ?? datagridId,
    },
    {
      title: columns.status,
      cell: ({ error }) => (
        <StatusBadge
          {...(error === null ? { label: t.done, tone: 'good' } : { label: t.failed, tone: 'bad' })}
        />
      ),
    },
    { title: columns.rows, isNumber: true, cell: ({ rows }) => rows.toLocaleString() },
    { title: columns.size, isNumber: true, isWide: true, cell: ({ bytes }) => bytesText(bytes) },
    {
      title: columns.duration,
      isNumber: true,
      isWide: true,
      cell: (run) => t.duration(runSeconds(run)),
    },
    { title: columns.started, isTime: true, cell: ({ startedAt }) => <When iso={startedAt} /> },
  ];
}
