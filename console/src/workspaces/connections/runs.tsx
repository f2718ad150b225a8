import { Button, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { countOf } from '../../common/count-of';
import { Loading } from '../../common/loading';
import { Problem } from '../../common/problem';
import { When } from '../../common/when';
import { datagridNamesQuery } from '../datagrid-names';
import { StatusBadge } from '../status-badge';
import { bytesText, runSeconds, type ConnectionRun } from './connection';
import { useRuns, type ConnectionRef } from './connection-calls';

/** Lists the runs of a connection, newest first. */
export function Runs({ at }: { readonly at: ConnectionRef }): ReactNode {
  const { data: runs, error, refetch, isFetching, ...more } = useRuns(at);
  const { hasNextPage, fetchNextPage, isFetchingNextPage } = more;
  const { data: datagrids } = useQuery(datagridNamesQuery(at.workspaceId));
  return (
    <section aria-labelledby="runs">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4" id="runs">
          Runs
        </Title>
        <Button
          variant="default"
          size="xs"
          loading={isFetching && !isFetchingNextPage}
          onClick={() => void refetch()}
        >
          Refresh
        </Button>
      </Group>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {!runs && !error && <Loading />}
      {runs?.length === 0 && (
        <Text>
          No run has changed a table yet, or failed. Runs that find no changes are not listed.
        </Text>
      )}
      <ul className="plain-list ruled-list">
        {runs?.map((run) => (
          <li key={run.id}>
            <Run run={run} datagrid={datagrids?.names.get(run.datagridId)} />
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Button
          mt="md"
          variant="default"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          Show earlier runs
        </Button>
      )}
    </section>
  );
}

interface RunProps {
  readonly run: ConnectionRun;
  /** Name of the datagrid. */
  readonly datagrid: string | undefined;
}

function Run({ run, datagrid }: RunProps): ReactNode {
  const { error, rows, bytes, startedAt, datagridId } = run;
  return (
    <>
      <div className="ruled-line">
        <StatusBadge
          {...(error === null ? { label: 'Done', tone: 'good' } : { label: 'Failed', tone: 'bad' })}
        />
        <span className="ruled-name">{datagrid ?? datagridId}</span>
        <Text span size="sm" c="dimmed">
          {countOf(rows, 'row')}, {bytesText(bytes)}, {runSeconds(run)} s, <When iso={startedAt} />
        </Text>
      </div>
      {error !== null && (
        <Text size="sm" className="ruled-name">
          {error}
        </Text>
      )}
    </>
  );
}
