import { accessOf } from '../../../src/platform/http/access';
import { RouteTable, type Route } from '../../../src/platform/http/path-id';
import type { ApiClient } from '../../support/api-client';
import { isOfConsole } from '../../support/console-routes';
import {
  dataOf,
  newConnection,
  newDatagrid,
  newImport,
  newScheduledImport,
  newSharedView,
  newWebhook,
  newWorkspace,
} from '../../support/fixture';
import type { TestApp } from '../../support/test-app';

/** Values of the parameters in a route's path. */
export type PathValues = Readonly<
  Record<
    | 'workspaceId'
    | 'datagridId'
    | 'key'
    | 'rowId'
    | 'viewId'
    | 'itemId'
    | 'importId'
    | 'webhookId'
    | 'connectionId'
    | 'scheduledImportId',
    string
  >
>;

/**
 * Returns all routes, with and without a key, except those of the console and the catch-all routes.
 */
export function declaredRoutes(app: TestApp): Route[] {
  const routes = app.nest.get(RouteTable, { strict: false }).all();
  return routes.filter(({ method, path }) => method !== 'ALL' && !isOfConsole(path));
}

export function isWrite({ handler }: Route): boolean {
  return accessOf(handler)?.endsWith(':write') === true;
}

/** Returns true if a route accepts a JSON body. */
export function hasBody({ method, path }: Route): boolean {
  return (
    !/\/(:itemId\/restore|import|rotate|:\w+\/test|reset|check|repair|run)$/.test(path) &&
    ['POST', 'PUT', 'PATCH'].includes(method)
  );
}

/**
 * Creates a resource for each parameter: a workspace with a datagrid, a unique column, a row, a
 * deleted row and column, a view, an import, a webhook with a delivery, a connection with a
 * scheduled import, and a datagrid in the trash.
 */
export async function newPathValues(api: ApiClient): Promise<PathValues> {
  const workspaceId = await newWorkspace(api);
  const columns = [
    { key: 'removed', type: 'text' },
    { key: 'u', type: 'text', unique: true },
  ];
  const grid = await newDatagrid(api, columns, workspaceId);
  const row = dataOf(await api.post(`${grid}/rows`, { values: { u: 'x' } }), 201);
  dataOf(await api.post(`${grid}/rows`, { values: { u: 'deleted' } }), 201);
  await api.delete(`${grid}/rows/2`);
  await api.delete(`${grid}/columns/removed`);
  const datagridId = grid.slice('/datagrids/'.length);
  const trashed = await newDatagrid(api, [], workspaceId);
  await api.delete(trashed);
  const itemId = trashed.slice('/datagrids/'.length);
  const importId = await newImport(api, grid);
  const viewId = await newSharedView(api, grid);
  const webhookId = await newWebhook(api, workspaceId);
  await api.post(`/workspaces/${workspaceId}/webhooks/${webhookId}/test`);
  const connectionId = await newConnection(api, workspaceId);
  const ids = { viewId, itemId, importId, webhookId, connectionId };
  const scheduledImportId = await newScheduledImport(api, workspaceId, connectionId, {
    datagridId,
  });
  return { workspaceId, datagridId, key: 'u', rowId: String(row.id), ...ids, scheduledImportId };
}
