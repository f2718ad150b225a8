import { queryOptions } from '@tanstack/react-query';
import { dataRequest } from '../api/data';
import type { Column, Datagrid } from '../datagrids/datagrid';
import { storedColumns } from '../datagrids/stored-columns';
import { queryClient, type Query } from '../query-client';
import type { SqlResult } from './sql-result';

/** Maximum page size of the API. */
const ALL = 200;
/** A statement may wait for the first load of its tables. */
const TIMEOUT_MS = 60_000;

const ROW_COLUMNS = ['_id', '_revision', '_createdAt', '_updatedAt'];

interface SqlTable {
  readonly name: string;
  readonly datagridId: string;
}

/** Columns by the names of their tables. */
export type SqlSchema = Readonly<Record<string, readonly string[]>>;

/** A statement that is saved in the workspace. */
export interface SavedQuery {
  readonly id: string;
  readonly name: string;
  readonly sql: string;
}

/** A query with the version that was read. */
export interface QueryVersion {
  readonly query: SavedQuery;
  readonly etag: string | undefined;
}

export const sqlPath = (workspaceId: string): string => `/workspaces/${workspaceId}/sql`;

const queriesPath = (workspaceId: string): string => `${sqlPath(workspaceId)}/queries`;

/** @param id May be any text, because it comes from a URL. */
const queryPath = (workspaceId: string, id: string): string =>
  `${queriesPath(workspaceId)}/${encodeURIComponent(id)}`;

/** Reads the tables that the editor completes: the first 200, with their columns. */
export const schemaQuery = (workspaceId: string): Query<SqlSchema> =>
  queryOptions({
    queryKey: ['sql-schema', workspaceId],
    queryFn: async ({ signal }): Promise<SqlSchema> => {
      const options = { query: { limit: ALL }, signal };
      const [{ data: tables }, { data: datagrids }] = await Promise.all([
        dataRequest<readonly SqlTable[]>('GET', `${sqlPath(workspaceId)}/tables`, options),
        dataRequest<readonly Pick<Datagrid, 'id' | 'columns'>[]>(
          'GET',
          `/workspaces/${workspaceId}/datagrids`,
          options,
        ),
      ]);
      const columnsOf = new Map(datagrids.map(({ id, columns }) => [id, columns]));
      return Object.fromEntries(
        tables.map(({ name, datagridId }) => [name, namesOf(columnsOf.get(datagridId) ?? [])]),
      );
    },
  });

const namesOf = (columns: readonly Column[]): string[] => [
  ...storedColumns(columns).map(({ key }) => key),
  ...ROW_COLUMNS,
];

/** Runs a statement and reads the first rows of its result. */
export async function runSql(
  workspaceId: string,
  sql: string,
  signal: AbortSignal,
): Promise<SqlResult> {
  const startedAtMs = performance.now();
  const options = { body: { sql }, signal, timeoutMs: TIMEOUT_MS };
  const { data, meta } = await dataRequest<SqlResult['rows']>(
    'POST',
    sqlPath(workspaceId),
    options,
  );
  const { columns = [], truncated: isTruncated = false } = meta ?? {};
  return { columns, rows: data, isTruncated, durationMs: performance.now() - startedAtMs };
}

export const savedQueryListQuery = (workspaceId: string): Query<readonly SavedQuery[]> =>
  queryOptions({
    queryKey: ['sql-queries', workspaceId],
    queryFn: async ({ signal }) => {
      const options = { query: { limit: ALL }, signal };
      const path = queriesPath(workspaceId);
      return (await dataRequest<readonly SavedQuery[]>('GET', path, options)).data;
    },
  });

export const savedQueryQuery = (workspaceId: string, id: string): Query<QueryVersion> =>
  queryOptions({
    queryKey: ['sql-queries', workspaceId, id],
    queryFn: async ({ signal }) => {
      const path = queryPath(workspaceId, id);
      const { data, etag } = await dataRequest<SavedQuery>('GET', path, { signal });
      return { query: data, etag };
    },
  });

async function reload(workspaceId: string): Promise<void> {
  const { queryKey } = savedQueryListQuery(workspaceId);
  await queryClient.invalidateQueries({ queryKey, exact: true });
}

export async function createQuery(
  workspaceId: string,
  body: Omit<SavedQuery, 'id'>,
  idempotencyKey: string,
): Promise<SavedQuery> {
  const options = { body, idempotencyKey };
  const { data } = await dataRequest<SavedQuery>('POST', queriesPath(workspaceId), options);
  await reload(workspaceId);
  return data;
}

/**
 * @param ifMatch Version that the user has changed; `undefined` for any.
 * @returns the new version.
 */
export async function updateQuery(
  workspaceId: string,
  id: string,
  body: Partial<Omit<SavedQuery, 'id'>>,
  ifMatch: string | undefined,
): Promise<string | undefined> {
  const path = queryPath(workspaceId, id);
  const { data, etag } = await dataRequest<SavedQuery>('PATCH', path, { body, ifMatch });
  // Not if the page has left the query: it reads it again when it returns.
  queryClient.setQueryData<QueryVersion>(savedQueryQuery(workspaceId, id).queryKey, (open) =>
    open ? { query: data, etag } : undefined,
  );
  await reload(workspaceId);
  return etag;
}

/** Reads a query again, which others may have changed. */
export function readQuery(workspaceId: string, id: string): Promise<QueryVersion> {
  return queryClient.query({ ...savedQueryQuery(workspaceId, id), staleTime: 0 });
}

export async function deleteQuery(workspaceId: string, id: string): Promise<void> {
  await dataRequest('DELETE', queryPath(workspaceId, id));
  await reload(workspaceId);
}
