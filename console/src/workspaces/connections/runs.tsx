import { Button, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loading } from '../../common/loading';
import { Parts } from '../../common/parts';
import { Problem } from '../../common/problem';
import { When } from '../../common/when';
import { connectionsText } from '../../text/connections-text';
import { text } from '../../text/text';
import { datagridNamesQuery } from '../datagrid-names';
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
      {runs?.length === 0 && <Text>{t.none}</Text>}
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
          {t.earlier}
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
          {...(error === null ? { label: t.done, tone: 'good' } : { label: t.failed, tone: 'bad' })}
        />
        <span className="ruled-name">{datagrid ?? datagridId}</span>
        <Text span size="sm" c="dimmed">
          <Parts
            of={t.summary(rows, bytesText(bytes), runSeconds(run), <When iso={startedAt} />)}
          />
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
