import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { countOf } from '../../common/count-of';
import { ListItem } from '../../list/list-item';
import { StatusBadge } from '../status-badge';
import { statusOf, type Connection } from './connection';
import { tablesQuery } from './connection-calls';
import { placeOf } from './destinations';
import { lagOf, lagText } from './progress';

export interface ConnectionItemProps {
  readonly workspaceId: string;
  readonly connection: Connection;
}

/** One connection in the list: its destination, tables, lag and last error. */
export function ConnectionItem({ workspaceId, connection }: ConnectionItemProps): ReactNode {
  const { id, name, type, settings, tables, failingTables, lastError } = connection;
  // The lag of a connection is that of its tables.
  const { data } = useQuery(tablesQuery({ workspaceId, connectionId: id }));
  const failing = failingTables > 0 && `, ${failingTables} failing`;
  return (
    <ListItem
      name={name}
      to={`/workspaces/${workspaceId}/connections/${id}`}
      description={placeOf(type, settings)}
      facts={
        <>
          {countOf(tables, 'table')}
          {failing}
          {data && data.tables.length > 0 && `. ${lagText(lagOf(data.tables))}`}
          {lastError !== null && `. ${lastError}`}
        </>
      }
      actions={
        <Group>
          <StatusBadge {...statusOf(connection)} />
        </Group>
      }
    />
  );
}
