import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { type Member, TestApp } from '../../support/test-app';
import { LOOPBACK_ALLOWED, WebhookReceiver } from '../../support/webhook-receiver';

const DATAGRIDS = 30;

let app: TestApp;
let receiver: WebhookReceiver;

beforeAll(async () => {
  app = await TestApp.start({ settings: { ...LOOPBACK_ALLOWED, MAX_DELIVERIES_PER_SECOND: '2' } });
  receiver = await WebhookReceiver.start();
});

afterAll(async () => {
  await app.close();
  await receiver.close();
});

/** Creates a webhook and datagrids. @returns a function that causes an event of each datagrid. */
async function prepare(
  { api }: Member,
  count: number,
  path: string,
): Promise<() => Promise<unknown>> {
  const workspaceId = await newWorkspace(api);
  const columns = [{ key: 'n', type: 'integer' }] as const;
  const grids: string[] = [];
  while (grids.length < count) grids.push(await newDatagrid(api, columns, workspaceId));
  const hook = { url: `${receiver.url}${path}`, events: ['rows.created'] };
  dataOf(await api.post(`/workspaces/${workspaceId}/webhooks`, hook), 201);
  const write = async (grid: string): Promise<unknown> =>
    dataOf(await api.post(`${grid}/rows`, { values: { n: 1 } }), 201);
  return () => Promise.all(grids.map(write));
}

it('the deliveries of an account beyond MAX_DELIVERIES_PER_SECOND wait, while those of others are sent', async () => {
  const writeMuch = await prepare(await app.newAccount(), DATAGRIDS, '/busy');
  const write = await prepare(await app.newAccount(), 1, '/other');
  await writeMuch();
  await write();
  await eventually(() => receiver.at('/other').length > 0);
  expect(receiver.at('/busy').length).toBeLessThan(DATAGRIDS);
  await eventually(() => receiver.at('/busy').length > 6);
});
