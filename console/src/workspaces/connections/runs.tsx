import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { TableColumn } from '../../common/data-table';
import { When } from '../../common/when';
import { connectionsText } from '../../text/connections-text';
import { datagridNamesQuery } from '../../datagrids/datagrid-names';
import { LogSection } from '../integration/log-section';
import { StatusBadge } from '../status-badge';
import { bytesText, runSeconds, type ConnectionRun } from './connection';
import { useRuns, type ConnectionRef } from './connection-calls';

const t = connectionsText.runs;

/** Lists the runs of a connection, newest first. */
export function Runs({ at }: { readonly at: ConnectionRef }): ReactNode {
  const query = useRuns(at);
  const { data: datagrids } = useQuery(datagridNamesQuery(at.workspaceId));
  return (
    <LogSection
      id="runs"
      texts={t}
      query={query}
      columns={columnsOf(datagrids?.names)}
      noteOf={({ error }) =>
        error !== null && (
          <Text size="sm" className="table-error">
            {error}
          </Text>
        )
      }
    />
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
