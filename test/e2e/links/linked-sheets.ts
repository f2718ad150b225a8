import type { ApiClient, Json } from '../../support/api-client';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';

/** Two datagrids of a workspace, of which the rows of one link to those of the other. */
export interface LinkedSheets {
  readonly workspaceId: string;
  /** Paths. */
  readonly customers: string;
  readonly orders: string;
}

export const idOf = (path: string): string => path.split('/').at(-1) ?? '';

/** Creates three customers, and no orders. */
export async function newLinkedSheets(
  api: ApiClient,
  options: object = {},
  column: object = {},
): Promise<LinkedSheets> {
  const workspaceId = await newWorkspace(api);
  const customers = await newDatagrid(api, [{ key: 'name', type: 'text' }], workspaceId);
  await createRows(api, customers, [{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
  const to = { datagridId: idOf(customers), ...options };
  const columns = [
    { key: 'customer', type: 'link', options: to, ...column },
    { key: 'others', type: 'multiLink', options: to },
    { key: 'note', type: 'text' },
  ];
  return { workspaceId, customers, orders: await newDatagrid(api, columns, workspaceId) };
}

/** Creates rows and returns them. */
export async function createRows(
  api: ApiClient,
  path: string,
  values: readonly object[],
): Promise<Json[]> {
  const rows = values.map((each) => ({ values: each }));
  return dataOf(await api.post(`${path}/rows`, { rows }), 201);
}

/** Returns the values of all rows by id. */
export async function valuesOf(api: ApiClient, path: string): Promise<Record<string, unknown>> {
  const rows = dataOf(await api.get(`${path}/rows?limit=200`), 200) as unknown as Json[];
  return Object.fromEntries(rows.map(({ id, values }) => [String(id), values as unknown]));
}
