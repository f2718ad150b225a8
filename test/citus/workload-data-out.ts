import { SyncTotalsRepository } from '../../src/connections/sync/sync-totals.repository';
import { DeliveryService } from '../../src/webhooks/delivery/delivery.service';
import { DeliveryStateRepository } from '../../src/webhooks/delivery/delivery-state.repository';
import { RetentionService } from '../../src/retention/retention.service';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newConnection, newWebhook, newWorkspace } from '../support/fixture';
import type { TestApp } from '../support/test-app';

/** Creates a webhook for the datagrid's workspace. Returns its path. */
export async function useWebhook(app: TestApp, api: ApiClient, grid: string): Promise<string> {
  const { id, workspaceId } = dataOf(await api.get(grid), 200);
  const webhookId = await newWebhook(api, workspaceId);
  const path = `/workspaces/${String(workspaceId)}/webhooks/${webhookId}`;
  const filter = { name: { $ne: 'x' } };
  dataOf(await api.patch(path, { datagridIds: [id], filter }), 200);
  await app.nest.get(DeliveryService).runOnce();
  return path;
}

/** Creates a connection for the datagrid's workspace, whose sync fails. */
export async function useConnection(app: TestApp, api: ApiClient, grid: string): Promise<void> {
  const { id, workspaceId } = dataOf(await api.get(grid), 200);
  const connectionId = await newConnection(api, workspaceId);
  const connection = `/workspaces/${String(workspaceId)}/connections/${connectionId}`;
  const tables = `${connection}/tables`;
  dataOf(await api.patch(connection, { datagridIds: [id] }), 200);
  dataOf(await api.patch(`${tables}/${String(id)}`, { columns: ['sku'] }), 200);
  expect(dataOf(await api.get(tables), 200)).toMatchObject([{ columns: ['sku'] }]);
  dataOf(await api.patch(connection, { enabled: true }), 200);
  await eventually(async () => dataOf(await api.get(`${connection}/runs`), 200).length > 0);
  await app.nest.get(SyncTotalsRepository).countTables();
  await useScheduledImport(api, `${connection}/imports`, id);
}

/** Creates a scheduled import, whose run fails, changes it and deletes it. */
async function useScheduledImport(
  api: ApiClient,
  imports: string,
  datagridId: string,
): Promise<void> {
  const query = "SELECT 'a' AS sku";
  const body = { name: 'Imported', datagridId, query, keyColumns: ['sku'] };
  const path = `${imports}/${String(dataOf(await api.post(imports, body), 201).id)}`;
  expect((await api.post(`${path}/run`)).status).toBe(204);
  await eventually(async () => dataOf(await api.get(`${path}/runs`), 200).length > 0);
  dataOf(await api.patch(path, { missingRows: 'delete' }), 200);
  expect(dataOf(await api.get(imports), 200)).toHaveLength(1);
  expect((await api.delete(path)).status).toBe(204);
}

/** Tries to deliver to an endpoint that does not exist. */
export async function deliver(app: TestApp, api: ApiClient, webhook: string): Promise<void> {
  await app.nest.get(DeliveryService).runOnce();
  await eventually(async () => dataOf(await api.get(webhook), 200).lastErrorAt !== null);
  const since = new Date(Date.now() - 3_600_000).toISOString();
  dataOf(await api.post(`${webhook}/replay`, { since }), 200);
  await app.nest.get(DeliveryStateRepository).countLanes();
  dataOf(await api.get(`${webhook}/deliveries`), 200);
  dataOf(await api.post(`${webhook}/rotate`), 200);
  const purged = await newWorkspace(api);
  await newWebhook(api, purged);
  await api.delete(`/workspaces/${purged}`);
  expect((await api.delete(`/trash/${purged}`)).status).toBe(204);
  await app.nest.get(RetentionService).runOnce();
}
