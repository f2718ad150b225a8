import { DeliveryService } from '../../../src/webhooks/delivery/delivery.service';
import { RetentionService } from '../../../src/retention/retention.service';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { type Member, TestApp } from '../../support/test-app';
import { LOOPBACK_ALLOWED, type Received, WebhookReceiver } from '../../support/webhook-receiver';

const SETTINGS = {
  ...LOOPBACK_ALLOWED,
  webhookRetrySeconds: [0.001],
  MAX_CONCURRENT_DELIVERIES: '8',
  maxLoggedDeliveries: 3,
};

let apps: TestApp[];
let first: TestApp;
let receiver: WebhookReceiver;

beforeAll(async () => {
  first = await TestApp.start({ settings: SETTINGS });
  const others = [1, 2].map(() => TestApp.start({ settings: SETTINGS, database: first.database }));
  apps = [first, ...(await Promise.all(others))];
});

beforeEach(async () => {
  receiver = await WebhookReceiver.start();
});

afterEach(() => receiver.close());

afterAll(async () => {
  for (const app of apps.reverse()) await app.close();
});

async function newHook({ api }: Member, workspaceId: string, url: string): Promise<string> {
  const route = `/workspaces/${workspaceId}/webhooks`;
  const { id } = dataOf(await api.post(route, { url }), 201);
  return `${route}/${String(id)}`;
}

/** Returns the revisions of the events of a datagrid, in the order in which they came. */
function revisionsOf(received: readonly Received[], datagridId: string): [number, number][] {
  return received
    .map(({ body }) => body.data)
    .filter((data) => data.datagridId === datagridId)
    .map((data) => [data.fromRevision, data.revision]);
}

describe('several senders', () => {
  it('share the lanes, lose no event, and keep the order of each datagrid, with failures in between', async () => {
    const owner = await first.newAccount();
    const workspaceId = await newWorkspace(owner.api);
    const grids = await Promise.all(
      Array.from({ length: 5 }, () =>
        newDatagrid(owner.api, [{ key: 'n', type: 'integer' }], workspaceId),
      ),
    );
    let count = 0;
    const accepted: Received[] = [];
    receiver.respond = (response, received) => {
      count += 1;
      const isAccepted = count % 7 !== 0;
      if (isAccepted) accepted.push(received);
      response.writeHead(isAccepted ? 200 : 500).end();
    };
    const hook = await newHook(owner, workspaceId, receiver.url);
    await Promise.all(
      grids.map(async (grid, index) => {
        const api = apps[index % apps.length]?.api(owner.key) ?? owner.api;
        for (let n = 0; n < 20; n += 1) {
          dataOf(await api.post(`${grid}/rows`, { values: { n } }), 201);
        }
      }),
    );
    const ids = grids.map((grid) => grid.slice('/datagrids/'.length));
    await eventually(async () => {
      await Promise.all(apps.map((app) => app.nest.get(DeliveryService).runOnce()));
      return ids.every((id) => revisionsOf(accepted, id).at(-1)?.[1] === 20);
    });
    for (const id of ids) {
      const revisions = revisionsOf(accepted, id);
      expect(revisions.map(([from]) => from)).toEqual([
        0,
        ...revisions.slice(0, -1).map(([, to]) => to),
      ]);
    }
    await owner.api.delete(hook);
  });

  it('take over the events of another sender once its lease has ended, with the same id and bytes', async () => {
    const owner = await first.newAccount();
    const workspaceId = await newWorkspace(owner.api);
    const grid = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }], workspaceId);
    let isDead = true;
    receiver.respond = (response) => {
      // The first sender never learns of the response.
      if (!isDead) response.writeHead(200).end();
    };
    const hook = await newHook(owner, workspaceId, receiver.url);
    dataOf(await owner.api.post(`${grid}/rows`, { values: { n: 1 } }), 201);
    await eventually(() => receiver.received.length === 1);
    isDead = false;
    // As if the process had been killed, and its lease had ended.
    await first.sql.query(
      'UPDATE webhook_lanes SET leased_until = now() - make_interval(secs => 1) WHERE webhook_id = $1',
      [hook.slice(-36)],
    );
    const [killed, repeated] = await eventually(
      () => receiver.received.length === 2 && receiver.received,
    );
    expect(repeated?.text).toBe(killed?.text);
    expect(repeated?.headers['webhook-id']).toBe(killed?.headers['webhook-id']);
    await eventually(async () => dataOf(await owner.api.get(hook), 200).status === 'active');
    await owner.api.delete(hook);
  });

  it('deliver to endpoints that work while many others do not respond', async () => {
    const owner = await first.newAccount();
    const other = await first.newAccount();
    receiver.respond = (response, { path }) => {
      if (path !== '/dead') response.writeHead(200).end();
    };
    const deadWorkspace = await newWorkspace(other.api);
    const deadGrid = await newDatagrid(other.api, [{ key: 'n', type: 'integer' }], deadWorkspace);
    const dead = await Promise.all(
      Array.from({ length: 60 }, () => newHook(other, deadWorkspace, `${receiver.url}/dead`)),
    );
    const workspaceId = await newWorkspace(owner.api);
    const grid = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }], workspaceId);
    const hook = await newHook(owner, workspaceId, receiver.url);
    dataOf(await owner.api.post(`${grid}/rows`, { values: { n: 0 } }), 201);
    await eventually(async () => dataOf(await owner.api.get(hook), 200).lastSuccessAt !== null);
    dataOf(await other.api.post(`${deadGrid}/rows`, { values: { n: 0 } }), 201);
    await eventually(() => receiver.at('/dead').length >= 2);
    const startedAtMs = performance.now();
    for (let n = 1; n <= 20; n += 1) {
      const { id } = dataOf(await owner.api.post(`${grid}/rows`, { values: { n } }), 201);
      await eventually(() =>
        receiver.at('/').some(({ body }) => (body.data.rowIds as number[]).includes(Number(id))),
      );
    }
    // Far below the 10 s that one endpoint takes to time out.
    expect(performance.now() - startedAtMs).toBeLessThan(8_000);
    await Promise.all(dead.map((each) => other.api.delete(each)));
    await owner.api.delete(hook);
  }, 60_000);

  it('keep the newest attempts of a webhook, up to a bound', async () => {
    const owner = await first.newAccount();
    const workspaceId = await newWorkspace(owner.api);
    const hook = await newHook(owner, workspaceId, receiver.url);
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      ids.push(dataOf(await owner.api.post(`${hook}/test`), 200).id);
    }
    await first.nest.get(RetentionService).runOnce();
    const { data } = (await owner.api.get(`${hook}/deliveries`)).body as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(ids.reverse().slice(0, 3));
    await first.sql.query("UPDATE webhook_attempts SET at = now() - interval '8 days'");
    await first.nest.get(RetentionService).runOnce();
    expect((await owner.api.get(`${hook}/deliveries`)).body.meta.total).toBe(0);
    await owner.api.delete(hook);
  });
});
