import { Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Confirm } from '../../../common/confirm';
import { DataTable } from '../../../common/data-table';
import { Loading } from '../../../common/loading';
import { Problem } from '../../../common/problem';
import { connectionsText } from '../../../text/connections-text';
import { datagridNamesQuery } from '../../../datagrids/datagrid-names';
import type { ConnectionTable } from '../connection';
import {
  reloadConnections,
  requestTable,
  tablesQuery,
  type ConnectionRef,
} from '../connection-calls';
import { TableDialog } from './table-dialog';
import { columnsOf, noteOf, type TableAction } from './table-columns';

const t = connectionsText.tables;

interface Task {
  readonly action: TableAction;
  readonly table: ConnectionTable;
}

/** Lists the tables of a connection with their progress. */
export function Tables({ at }: { readonly at: ConnectionRef }): ReactNode {
  const { data, error, refetch } = useQuery(tablesQuery(at));
  const { data: datagrids } = useQuery(datagridNamesQuery(at.workspaceId));
  const [task, setTask] = useState<Task>();
  const check = useMutation({
    mutationFn: ({ datagridId }: ConnectionTable) => requestTable(at, datagridId, 'check'),
    onSettled: () => reloadConnections(at.workspaceId),
  });
  return (
    <section aria-labelledby="tables" className="connection-tables">
      <Title order={2} size="h4" mb="sm" id="tables">
        {t.title}
      </Title>
      {check.error && <Problem error={check.error} title={t.notChecked(check.variables.name)} />}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.tables.length === 0 && (
        <Text size="sm" c="dimmed">
          {t.none}
        </Text>
      )}
      {data && data.tables.length > 0 && (
        <DataTable
          label={t.title}
          columns={columnsOf({
            history: data.history,
            names: datagrids?.names,
            onAction: (action, table) => {
              if (action === 'check') check.mutate(table);
              else setTask({ action, table });
            },
          })}
          items={data.tables}
          idOf={({ datagridId }) => datagridId}
          noteOf={(table) => noteOf(table, data.history.get(table.datagridId) ?? [])}
        />
      )}
      {task && (
        <TableTask
          {...task}
          at={at}
          onClose={() => {
            setTask(undefined);
          }}
        />
      )}
    </section>
  );
}

interface TableTaskProps extends Task {
  readonly at: ConnectionRef;
  readonly onClose: () => void;
}

const CONFIRMATIONS = {
  reset: { title: t.resetTitle, message: t.resetMessage, submitLabel: t.resetSubmit },
  repair: { title: t.repairTitle, message: t.repairMessage, submitLabel: t.repairSubmit },
} as const;

function TableTask({ action, table, at, onClose }: TableTaskProps): ReactNode {
  if (action === 'check') return null;
  if (action === 'edit') return <TableDialog at={at} table={table} onClose={onClose} />;
  const { title, ...texts } = CONFIRMATIONS[action];
  return (
    <Confirm
      {...texts}
      title={title(table.name)}
      isDangerous={false}
      onClose={onClose}
      onConfirm={async () => {
        await requestTable(at, table.datagridId, action);
        await reloadConnections(at.workspaceId);
      }}
    />
  );
}
