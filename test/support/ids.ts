import {
  newConnection,
  newDatagrid,
  newImport,
  newScheduledImport,
  newSharedView,
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
    | 'itemId'
    | 'importId'
    | 'webhookId'
    | 'connectionId'
    | 'scheduledImportId',
    string
  >
>;

/** Creates a resource for each parameter of a path, and returns the ids. */
export async function newIds({ api }: Member): Promise<Ids> {
  const workspaceId = await newWorkspace(api);
  const columns = [
    { key: 'removed', type: 'text' },
    { key: 'n', type: 'integer' },
    { key: 'u', type: 'text', unique: true },
  ];
  const path = await newDatagrid(api, columns, workspaceId);
  await api.post(`${path}/rows`, { rows: [{ values: { n: 1 } }, { values: { n: 2 } }] });
  await api.delete(`${path}/rows/2`);
  await api.delete(`${path}/columns/removed`);
  const trashed = await newDatagrid(api, [], workspaceId);
  await api.delete(trashed);
  const [datagridId = '', itemId = ''] = [path, trashed].map((each) =>
    each.slice('/datagrids/'.length),
  );
  const importId = await newImport(api, path);
  const viewId = await newSharedView(api, path);
  const webhookId = await newWebhook(api, workspaceId);
  const connectionId = await newConnection(api, workspaceId);
  const scheduledImportId = await newScheduledImport(api, workspaceId, connectionId, {
    datagridId,
  });
  const others = { viewId, itemId, importId, webhookId, connectionId, scheduledImportId };
  return { workspaceId, datagridId, rowId: '1', key: 'n', ...others };
}

/** Ids of nothing. */
export const NO_IDS: Ids = {
  workspaceId: NO_ID,
  datagridId: NO_ID,
  rowId: '1',
  key: 'n',
  viewId: NO_ID,
  itemId: NO_ID,
  importId: NO_ID,
  webhookId: NO_ID,
  connectionId: NO_ID,
  scheduledImportId: NO_ID,
};
