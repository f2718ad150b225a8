import { Alert, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { DataTable, type TableColumn } from '../../common/data-table';
import { EmptyState } from '../../common/empty-state';
import { Loading } from '../../common/loading';
import { Problem } from '../../common/problem';
import { Crumbs } from '../../list/crumbs';
import { ItemName } from '../../list/item-name';
import { mayManageConnections } from '../../session/role';
import { useSession } from '../../session/session-context';
import { Page } from '../../shell/page';
import { connectionsText } from '../../text/connections-text';
import { text } from '../../text/text';
import { workspaceQuery } from '../workspace-calls';
import { StatusBadge } from '../status-badge';
import { statusOf, type Connection } from './connection';
import { connectionsQuery, tablesQuery } from './connection-calls';
import { placeOf } from './destinations';
import { lagOf, lagText } from './progress';

const t = connectionsText.list;

/** The connections of one workspace. */
export function ConnectionsPage(): ReactNode {
  const { workspaceId = '' } = useParams();
  const mayManage = mayManageConnections(useSession().user.role);
  const { data: workspace } = useQuery(workspaceQuery(workspaceId));
  const { data: connections } = useQuery({
    ...connectionsQuery(workspaceId),
    enabled: mayManage,
  });
  const path = `/workspaces/${workspaceId}`;
  const create = (
    <Button component={Link} to={`${path}/connections/new`}>
      {t.create}
    </Button>
  );
  return (
    <Page
      title={t.title}
      above={
        <Crumbs
          way={[
            { name: text.frame.workspaces, to: '/workspaces' },
            { name: workspace?.name ?? text.frame.workspace, to: path },
          ]}
        />
      }
      actions={mayManage && connections?.length !== 0 && create}
    >
      {mayManage ? (
        <ConnectionList workspaceId={workspaceId} create={create} />
      ) : (
        <Alert color="yellow">{connectionsText.forbidden}</Alert>
      )}
    </Page>
  );
}

interface ConnectionListProps {
  readonly workspaceId: string;
  readonly create: ReactNode;
}

function ConnectionList({ workspaceId, create }: ConnectionListProps): ReactNode {
  const { data: connections, error, refetch } = useQuery(connectionsQuery(workspaceId));
  if (!connections) {
    return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading />;
  }
  if (connections.length === 0) {
    return (
      <EmptyState title={t.none} action={create}>
        {t.noneHint}
      </EmptyState>
    );
  }
  const columns: readonly TableColumn<Connection>[] = [
    {
      title: t.columns.name,
      cell: ({ id, name, type, settings }) => (
        <ItemName
          name={name}
          to={`/workspaces/${workspaceId}/connections/${id}`}
          description={placeOf(type, settings)}
        />
      ),
    },
    { title: t.columns.status, cell: (connection) => <StatusBadge {...statusOf(connection)} /> },
    {
      title: t.columns.tables,
      isWide: true,
      cell: (connection) => <ConnectionTables workspaceId={workspaceId} connection={connection} />,
    },
  ];
  return <DataTable label={t.label} columns={columns} items={connections} idOf={({ id }) => id} />;
}

interface ConnectionTablesProps {
  readonly workspaceId: string;
  readonly connection: Connection;
}

/** The number of tables of a connection, their lag and the last error. */
function ConnectionTables({ workspaceId, connection }: ConnectionTablesProps): ReactNode {
  const { id, tables, failingTables, lastError } = connection;
  // The lag of a connection is that of its tables.
  const { data } = useQuery(tablesQuery({ workspaceId, connectionId: id }));
  return (
    <>
      {t.tables(tables, failingTables)}
      {data && data.tables.length > 0 && `. ${lagText(lagOf(data.tables))}`}
      {lastError !== null && `. ${lastError}`}
    </>
  );
}
