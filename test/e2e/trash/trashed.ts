import type { Answer, ApiClient } from '../../support/api-client';
import { dataOf, freshName, newDatagrid } from '../../support/fixture';
import type { TestApp } from '../../support/test-app';

/** Of a path such as `/datagrids/…`. */
export const idOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Gives the path of a datagrid that has lost a row and a column; `n` is unique. */
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

/** Gives the new workspace's path and name. */
export async function newNamed(api: ApiClient): Promise<{ path: string; name: string }> {
  const name = freshName();
  const { id } = dataOf(await api.post('/workspaces', { name }), 201);
  return { path: `/workspaces/${id}`, name };
}

export async function discard(api: ApiClient, path: string): Promise<void> {
  expect((await api.delete(path)).status).toBe(204);
}

export const restore = (api: ApiClient, path: string): Promise<Answer> =>
  api.post(`/trash/${idOf(path.replace(/\?.*/, ''))}/restore`);

/** The ids of what the trash holds, the last deleted first. */
export async function trashOf(api: ApiClient): Promise<string[]> {
  const { data } = (await api.get('/trash?limit=200')).body;
  return (data as { id: string }[]).map(({ id }) => id);
}

const TABLES = [
  'rows',
  'row_gaps',
  'unique_values',
  'row_tombstones',
  'datagrid_counters',
  'datagrid_columns',
  'datagrid_purges',
];

/** How many records the database holds of a datagrid, its own included. */
export async function recordsOf(app: TestApp, path: string): Promise<number> {
  const counts = [...TABLES.map((table) => `${table} WHERE datagrid_id`), 'datagrids WHERE id'];
  const sql = counts.map((table) => `(SELECT count(*) FROM ${table} = $1)`).join(' + ');
  const { rows } = await app.sql.query<{ n: string }>(`SELECT ${sql} AS n`, [idOf(path)]);
  return Number(rows[0]?.n);
}

/** All that a client sees, but for what no two answers share. */
export function visible({ status, text, headers }: Answer): object {
  const own = ['date', 'x-request-id', 'ratelimit'];
  const requestId = headers.get('x-request-id') ?? '';
  return {
    status,
    body: text.replace(requestId, ''),
    headers: [...headers].filter(([name]) => !own.includes(name)),
  };
}
