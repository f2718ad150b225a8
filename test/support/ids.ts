import {
  newConnection,
  newDatagrid,
  newImport,
  newScheduledImport,
  newSharedView,
  newSqlQuery,
  newWebhook,
  newWorkspace,
  NO_ID,
} from './fixture';
import type { Member } from './test-app';

/** An id for each parameter of the paths of the API. */
export type Ids = Readonly<
  Record<
    | 'workspaceId'
    | 'datagridId'
    | 'rowId'
    | 'key'
    | 'viewId'
    | 'queryId'
    | 'itemId'
    | 'importId'
    | 'webhookId'
    | 'connectionId'
    | 'scheduledImportId',
    string
  >
>;

/** Parameters of paths whose resources are created only for paths that name them. */
type Optional = Exclude<keyof Ids, 'workspaceId' | 'datagridId' | 'rowId' | 'key'>;

/**
 * Creates a resource for each parameter of a path, or of any path, and returns the ids. Unless the path
 * ends with a workspace, or is about rows or columns, it creates no more than the path needs.
 * @param path Path with parameters, such as `/workspaces/:workspaceId`. Others have ids of nothing.
 */
export async function newIds({ api }: Pick<Member, 'api'>, path?: string): Promise<Ids> {
  const isAbout = (...words: readonly string[]): boolean =>
    path === undefined || words.some((word) => path.includes(word));
  const create = async (name: Optional, make: () => Promise<string>): Promise<string> =>
    isAbout(`:${name}`) ? make() : NO_ID;
  const workspaceId = await newWorkspace(api);
  const columns = [
    { key: 'removed', type: 'text' },
    { key: 'n', type: 'integer' },
    { key: 'u', type: 'text', unique: true },
  ];
  const needsGrid = isAbout(':datagridId', 'imports') || path?.endsWith('/:workspaceId') === true;
  const grid = needsGrid ? await newDatagrid(api, columns, workspaceId) : `/datagrids/${NO_ID}`;
  if (isAbout('rows', 'records')) {
    await api.post(`${grid}/rows`, { rows: [{ values: { n: 1 } }, { values: { n: 2 } }] });
    await api.delete(`${grid}/rows/2`);
  }
  if (isAbout('columns')) await api.delete(`${grid}/columns/removed`);
  const idOf = (made: string): string => made.slice('/datagrids/'.length);
  const datagridId = idOf(grid);
  const itemId = await create('itemId', async () => {
    const trashed = await newDatagrid(api, [], workspaceId);
    await api.delete(trashed);
    return idOf(trashed);
  });
  const importId = await create('importId', () => newImport(api, grid));
  const viewId = await create('viewId', () => newSharedView(api, grid));
  const queryId = await create('queryId', () => newSqlQuery(api, workspaceId));
  const webhookId = await create('webhookId', () => newWebhook(api, workspaceId));
  const connectionId = await create('connectionId', () => newConnection(api, workspaceId));
  const scheduledImportId = await create('scheduledImportId', () =>
    newScheduledImport(api, workspaceId, connectionId, { datagridId }),
  );
  const others = { viewId, queryId, itemId, importId, webhookId, connectionId, scheduledImportId };
  return { workspaceId, datagridId, rowId: '1', key: 'n', ...others };
}

/** Ids of nothing. */
export const NO_IDS: Ids = {
  workspaceId: NO_ID,
  datagridId: NO_ID,
  rowId: '1',
  key: 'n',
  viewId: NO_ID,
  queryId: NO_ID,
  itemId: NO_ID,
  importId: NO_ID,
  webhookId: NO_ID,
  connectionId: NO_ID,
  scheduledImportId: NO_ID,
};
