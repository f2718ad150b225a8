import { DeliveryMetrics } from '../../../src/webhooks/delivery/delivery-metrics';
import { DeliveryService } from '../../../src/webhooks/delivery/delivery.service';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { metricsUrl, METRICS_ON, Scrape } from '../../support/scrape';
import { TestApp } from '../../support/test-app';
import { LOOPBACK_ALLOWED, WebhookReceiver } from '../../support/webhook-receiver';

let app: TestApp;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  app = await TestApp.start({
    settings: { ...METRICS_ON, ...LOOPBACK_ALLOWED, webhookRetrySeconds: [3600] },
  });
});

afterAll(async () => {
  await app.close();
  await receiver.close();
});

it('the metrics count attempts, waiting lanes, the oldest undelivered event and webhooks, without names of accounts', async () => {
  const { api, accountId } = await app.newAccount();
  const workspaceId = await newWorkspace(api);
  const datagrid = await newDatagrid(api, [], workspaceId);
  const other = await newDatagrid(api, [], workspaceId);
  const idOf = (path: string): string => path.slice('/datagrids/'.length);
  receiver.respond = (response, { path, body }) => {
    const works = path === '/working' || body.data.datagridId === idOf(other);
    response.writeHead(works ? 204 : path === '/gone' ? 410 : 500).end();
  };
  const addHook = async (path: string, ...datagrids: string[]): Promise<void> => {
    const body = { url: `${receiver.url}${path}`, datagridIds: datagrids.map(idOf) };
    dataOf(await api.post(`/workspaces/${workspaceId}/webhooks`, body), 201);
  };
  for (const path of ['/working', '/failing', '/gone']) await addHook(path, datagrid);
  await addHook('/partly', datagrid, other);
  // Without webhooks, the service does not hear of changes before its next poll.
  await app.nest.get(DeliveryService, { strict: false }).runOnce();
  dataOf(await api.post(`${datagrid}/rows`, { values: {} }), 201);
  // The last delivery of this webhook succeeds, and the event of the other datagrid still waits.
  await eventually(() => receiver.at('/partly').length === 1);
  dataOf(await api.post(`${other}/rows`, { values: {} }), 201);
  await eventually(() => receiver.at('/partly').length === 2);
  const url = await metricsUrl(app);
  const scrape = await eventually(async () => {
    await app.nest.get(DeliveryMetrics).readTotals();
    const now = await Scrape.of(url);
    const isSettled =
      now.sum('datagrid_webhooks', { status: 'disabled' }) === 1 &&
      now.sum('datagrid_webhooks', { status: 'failing' }) === 2 &&
      now.sum('datagrid_webhook_lanes_waiting', { state: 'working' }) === 0 &&
      // Lanes are counted before webhooks, which can change in between.
      now.sum('datagrid_webhook_lanes_waiting', { state: 'failing' }) === 2 &&
      now.sum('datagrid_webhook_lanes_running') === 0;
    return isSettled && now;
  });
  for (const [outcome, count] of Object.entries({ delivered: 2, failed: 2, gone: 1 })) {
    expect(scrape.sum('datagrid_webhook_attempts_total', { outcome })).toBe(count);
  }
  expect(scrape.sum('datagrid_webhook_attempt_duration_seconds_count')).toBe(5);
  expect(scrape.sum('datagrid_webhooks', { status: 'active' })).toBe(1);
  const age = 'datagrid_webhook_oldest_undelivered_seconds';
  expect(scrape.sum(age, { state: 'failing' })).toBeGreaterThan(0);
  expect(scrape.sum(age, { state: 'working' })).toBe(0);
  for (const name of [accountId, workspaceId, '127.0.0.1']) expect(scrape.text).not.toContain(name);
});
