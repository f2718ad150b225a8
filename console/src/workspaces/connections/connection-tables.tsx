import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { countOf } from '../../common/count-of';
import type { Connection } from './connection';
import { tablesQuery } from './connection-calls';
import { lagOf, lagText } from './progress';

export interface ConnectionTablesProps {
  readonly workspaceId: string;
  readonly connection: Connection;
}

/** The number of tables of a connection, their lag and the last error. */
export function ConnectionTables({ workspaceId, connection }: ConnectionTablesProps): ReactNode {
  const { id, tables, failingTables, lastError } = connection;
  // The lag of a connection is that of its tables.
  const { data } = useQuery(tablesQuery({ workspaceId, connectionId: id }));
  return (
    <>
      {countOf(tables, 'table')}
      {failingTables > 0 && `, ${failingTables} failing`}
      {data && data.tables.length > 0 && `. ${lagText(lagOf(data.tables))}`}
      {lastError !== null && `. ${lastError}`}
    </>
  );
}
