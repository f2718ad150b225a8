import type { ApiResponse, ApiClient } from '../../support/api-client';
import { dataOf, freshName, newDatagrid } from '../../support/fixture';
import type { TestApp } from '../../support/test-app';

/** Returns the id at the end of a path such as `/datagrids/…`. */
export const idOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Creates a datagrid with the unique column `n`, deletes a row and a column, and returns its path. */
export async function newSheet(api: ApiClient, workspaceId?: string): Promise<string> {
  const columns = [
    { key: 'n', type: 'integer', unique: true },
    { key: 'gone', type: 'text' },
    { key: 'note', type: 'text' },
  ];
  const path = await newDatagrid(api, columns, workspaceId);
  const rows = Array.from({ length: 5 }, (_, n) => ({ values: { n, gone: 'x', note: `${n}` } }));
  expect((await api.post(`${path}/rows`, { rows })).status).toBe(201);
  expect((await api.delete(`${path}/rows/2`)).status).toBe(204);
  expect((await api.delete(`${path}/columns/gone`)).status).toBe(204);
  return path;
}

/** Creates a workspace and returns its path and name. */
export async function newNamed(api: ApiClient): Promise<{ path: string; name: string }> {
  const name = freshName();
  const { id } = dataOf(await api.post('/workspaces', { name }), 201);
  return { path: `/workspaces/${id}`, name };
}

export async function discard(api: ApiClient, path: string): Promise<void> {
  expect((await api.delete(path)).status).toBe(204);
}

export const restore = (api: ApiClient, path: string): Promise<ApiResponse> =>
  api.post(`/trash/${idOf(path.replace(/\?.*/, ''))}/restore`);

/** Returns the ids of the items in the trash, newest first. */
export async function trashOf(api: ApiClient): Promise<string[]> {
  const { data } = (await api.get('/trash?limit=200')).body;
  return (data as { id: string }[]).map(({ id }) => id);
}

const TABLES = [
  'rows',
  'row_gaps',
  'unique_values',
  'datagrid_changes',
  'row_versions',
  'datagrid_counters',
  'datagrid_columns',
  'datagrid_purges',
];

/** Counts the records of a datagrid in all tables, including its own. */
export async function recordsOf(app: TestApp, path: string): Promise<number> {
  const counts = [...TABLES.map((table) => `${table} WHERE datagrid_id`), 'datagrids WHERE id'];
  const sql = counts.map((table) => `(SELECT count(*) FROM ${table} = $1)`).join(' + ');
  const { rows } = await app.sql.query<{ n: string }>(`SELECT ${sql} AS n`, [idOf(path)]);
  return Number(rows[0]?.n);
}

/** Returns everything that a client sees, except for headers that differ in every response. */
export function visible({ status, text, headers }: ApiResponse): object {
  const own = ['date', 'x-request-id', 'ratelimit'];
  const requestId = headers.get('x-request-id') ?? '';
  return {
    status,
    body: text.replace(requestId, ''),
    headers: [...headers].filter(([name]) => !own.includes(name)),
  };
}
