import { DeliveryService } from '../../../src/webhooks/delivery/delivery.service';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { type Member, TestApp } from '../../support/test-app';
import {
  LOOPBACK_ALLOWED,
  type Received,
  verify,
  WebhookReceiver,
} from '../../support/webhook-receiver';
import type { Json } from '../../support/api-client';

/** Retries follow at once, so that no test waits. */
const SETTINGS = { ...LOOPBACK_ALLOWED, webhookRetrySeconds: [0.001] };

const COLUMNS = [{ key: 'n', type: 'integer' }];

let app: TestApp;
let owner: Member;
let receiver: WebhookReceiver;
let workspaceId: string;
let datagrid: string;
let serial = 0;

beforeAll(async () => {
  app = await TestApp.start({ settings: SETTINGS });
});

beforeEach(async () => {
  owner = await app.newAccount();
  receiver = await WebhookReceiver.start();
  workspaceId = await newWorkspace(owner.api);
  datagrid = await newDatagrid(owner.api, COLUMNS, workspaceId);
});

afterEach(async () => {
  for (const { id } of (await owner.api.get(`/workspaces/${workspaceId}/webhooks`)).body.data) {
    await owner.api.delete(`/workspaces/${workspaceId}/webhooks/${String(id)}`);
  }
  await receiver.close();
});

afterAll(async () => {
  await app.close();
});

interface Hook {
  readonly id: string;
  readonly secret: string;
  /** Path of the webhook in the API. */
  readonly route: string;
  /** Path of the endpoint. */
  readonly path: string;
}

/** Claims lanes now, and not with the next poll up to a second later. */
const poll = (): Promise<number> => app.nest.get(DeliveryService, { strict: false }).runOnce();

async function newHook(body: object = {}): Promise<Hook> {
  const path = `/hook-${String((serial += 1))}`;
  const route = `/workspaces/${workspaceId}/webhooks`;
  const created = await owner.api.post(route, { url: `${receiver.url}${path}`, ...body });
  const { id, secret } = dataOf(created, 201);
  // Without webhooks, the service does not hear of changes before its next poll.
  await poll();
  return { id, secret, route: `${route}/${String(id)}`, path };
}

async function addRow(n: number): Promise<number> {
  return dataOf(await owner.api.post(`${datagrid}/rows`, { values: { n } }), 201).id;
}

/** Waits until a condition on the deliveries holds. */
async function deliveries(
  { path }: Hook,
  isReady: (received: readonly Received[]) => boolean,
): Promise<Received[]> {
  return eventually(() => isReady(receiver.at(path)) && receiver.at(path));
}

const idsOf = (received: readonly Received[]): number[] =>
  received.flatMap(({ body }) => body.data.rowIds as number[]);

async function health({ route }: Hook): Promise<Json> {
  return dataOf(await owner.api.get(route), 200);
}

describe('a webhook', () => {
  it('prints large numbers with an exponent', async () => {
    datagrid = await newDatagrid(owner.api, [{ key: 'n', type: 'number' }], workspaceId);
    const hook = await newHook();
    await addRow(1e22);
    const [sent] = await deliveries(hook, (received) => received.length === 1);
    expect(sent?.text).toMatch(/"n": ?1e\+22\b/);
  });

  it('sends created, updated and deleted rows, column changes, deletion and restore, signed and in order', async () => {
    const hook = await newHook();
    const id = await addRow(1);
    await deliveries(hook, (all) => all.length === 1);
    dataOf(await owner.api.patch(`${datagrid}/rows/${String(id)}`, { values: { n: 2 } }), 200);
    await deliveries(hook, (all) => all.length === 2);
    await owner.api.delete(`${datagrid}/rows/${String(id)}`);
    await owner.api.post(`${datagrid}/columns`, { key: 'm', type: 'text' });
    const datagridId = datagrid.slice('/datagrids/'.length);
    await owner.api.delete(datagrid);
    await owner.api.post(`/trash/${datagridId}/restore`);
    const received = await deliveries(hook, (all) => all.length >= 6);
    expect(received.map(({ body }) => body.type)).toEqual([
      'rows.created',
      'rows.updated',
      'rows.deleted',
      'columns.changed',
      'datagrid.deleted',
      'datagrid.restored',
    ]);
    for (const each of received) expect(verify(hook.secret, each)).toEqual(each.body);
    const [first, second] = received;
    const changedBy = { userId: owner.userId, keyId: owner.keyId };
    expect(first?.body).toEqual({
      type: 'rows.created',
      timestamp: expect.any(String),
      data: {
        workspaceId,
        datagridId,
        fromRevision: 0,
        revision: 1,
        rowCount: 1,
        rowIds: [id],
        changedBy,
        rows: [expect.objectContaining({ id, values: { n: 1 }, revision: 1 })],
      },
    });
    expect(second?.body.data).toMatchObject({ fromRevision: 1, revision: 2, rows: [{ id }] });
    const revisions = received.map(({ body }) => [body.data.fromRevision, body.data.revision]);
    expect(revisions).toEqual([0, 1, 2, 3, 4, 5].map((n) => [n, n + 1]));
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(6);
  });

  it('sends a bulk write as one event, with only the ids of more than 100 rows', async () => {
    const hook = await newHook();
    const rows = Array.from({ length: 101 }, (_, n) => ({ values: { n } }));
    dataOf(await owner.api.post(`${datagrid}/rows`, { rows: rows.slice(1) }), 201);
    await deliveries(hook, (all) => all.length === 1);
    dataOf(await owner.api.post(`${datagrid}/rows`, { rows }), 201);
    const [first, second] = await deliveries(hook, (all) => all.length === 2);
    expect(first?.body.data.rows).toHaveLength(100);
    expect(second?.body.data).toMatchObject({ rowCount: 101, rows: null });
    expect(second?.body.data.rowIds).toHaveLength(101);
  });

  it('sends only ids if the rows take more than 256 KiB', async () => {
    datagrid = await newDatagrid(owner.api, [{ key: 't', type: 'text' }], workspaceId);
    const hook = await newHook();
    const long = (length: number): object => ({ values: { t: 'ab'.repeat(length / 2) } });
    dataOf(await owner.api.post(`${datagrid}/rows`, long(200_000)), 201);
    await deliveries(hook, (all) => all.length === 1);
    dataOf(await owner.api.post(`${datagrid}/rows`, long(300_000)), 201);
    const [first, second] = await deliveries(hook, (all) => all.length === 2);
    expect(first?.body.data.rows).toHaveLength(1);
    expect(second?.body.data).toMatchObject({ rowCount: 1, rows: null });
  });

  it('sends no rows with a thin payload', async () => {
    const hook = await newHook({ payload: 'thin' });
    const id = await addRow(1);
    const [only] = await deliveries(hook, (all) => all.length === 1);
    expect(only?.body.data.rowIds).toEqual([id]);
    expect(only?.body.data).not.toHaveProperty('rows');
  });

  it('sends only the events and datagrids that it names', async () => {
    const other = await newDatagrid(owner.api, COLUMNS, workspaceId);
    const datagridIds = [datagrid.slice('/datagrids/'.length)];
    const hook = await newHook({ events: ['rows.deleted'], datagridIds });
    await owner.api.post(`${other}/rows`, { values: { n: 1 } });
    await owner.api.delete(`${other}/rows/1`);
    await addRow(1);
    await owner.api.delete(`${datagrid}/rows/1`);
    const [first] = await deliveries(hook, (all) => all.length === 1);
    expect(first?.body).toMatchObject({
      type: 'rows.deleted',
      data: { datagridId: datagridIds[0] },
    });
  });

  it('sends the changes of a datagrid that is created after it, from the first one', async () => {
    const hook = await newHook();
    datagrid = await newDatagrid(owner.api, COLUMNS, workspaceId);
    const id = await addRow(1);
    const [first] = await deliveries(hook, (all) => all.length === 1);
    expect(first?.body.data).toMatchObject({ fromRevision: 0, rowIds: [id] });
  });

  it('repeats a failed delivery with the same id and bytes, before any later event', async () => {
    const hook = await newHook();
    let failures = 0;
    receiver.respond = (response) => {
      failures += 1;
      response.writeHead(failures <= 3 ? 500 : 200).end('so');
    };
    for (let n = 1; n <= 5; n += 1) await addRow(n);
    const received = await deliveries(hook, (all) => idsOf(all.slice(3)).includes(5));
    const tries = received.slice(0, 4);
    expect(new Set(tries.map(({ text }) => text)).size).toBe(1);
    expect(new Set(tries.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(idsOf(received.slice(3))).toEqual([1, 2, 3, 4, 5]);
    const listed: Json[] = await eventually(async () => {
      const { data } = (await owner.api.get(`${hook.route}/deliveries?limit=200`)).body;
      return data.length === received.length && data;
    });
    expect(listed.reverse().slice(0, 4)).toMatchObject([
      { attempt: 1, status: 500, error: 'The endpoint responded with 500.', response: 'so' },
      { attempt: 2, status: 500 },
      { attempt: 3, status: 500 },
      { attempt: 4, status: 200, error: null, request: received[3]?.text },
    ]);
  });

  it('signs with both secrets after a rotation, and with the new one alone after 24 hours', async () => {
    const hook = await newHook();
    const { secret } = dataOf(await owner.api.post(`${hook.route}/rotate`), 200);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await addRow(1);
    const [both] = await deliveries(hook, (all) => all.length === 1);
    expect(both && [verify(secret, both), verify(hook.secret, both)]).toEqual([
      both?.body,
      both?.body,
    ]);
    await app.sql.query(
      'UPDATE webhooks SET previous_secret_until = now() - make_interval(secs => 1) WHERE id = $1',
      [hook.id],
    );
    await addRow(2);
    const [, after] = await deliveries(hook, (all) => all.length === 2);
    expect(after && verify(secret, after)).toEqual(after?.body);
    expect(() => after && verify(hook.secret, after)).toThrow('No matching signature');
  });

  it('is failing as long as an event of any datagrid is repeated, whatever tests and other datagrids do', async () => {
    const other = await newDatagrid(owner.api, COLUMNS, workspaceId);
    const hook = await newHook();
    let broken: string | null = datagrid.slice('/datagrids/'.length);
    let testStatus = 204;
    receiver.respond = (response, { body: { type, data } }) => {
      const isBroken = data.datagridId === broken;
      response.writeHead(type === 'webhook.test' ? testStatus : isBroken ? 500 : 204).end();
    };
    const test = async (): Promise<Json> => dataOf(await owner.api.post(`${hook.route}/test`), 200);
    await addRow(1);
    await eventually(async () => (await health(hook)).status === 'failing');
    dataOf(await owner.api.post(`${other}/rows`, { values: { n: 2 } }), 201);
    await eventually(async () => (await health(hook)).lastSuccessAt !== null);
    expect(await test()).toMatchObject({ status: 204, error: null });
    const failing = await health(hook);
    expect(failing).toMatchObject({ status: 'failing', lastError: expect.stringContaining('500') });
    expect(failing.consecutiveFailures).toBeGreaterThan(0);
    expect(failing.oldestUndeliveredAt).not.toBeNull();

    broken = null;
    await poll();
    const active = await eventually(async () => {
      const found = await health(hook);
      return found.status === 'active' && found;
    });
    expect(active).toMatchObject({ consecutiveFailures: 0, oldestUndeliveredAt: null });
    testStatus = 503;
    expect((await test()).status).toBe(503);
    expect(await health(hook)).toEqual({ ...active, lastSuccessAt: expect.any(String) });
    const log = await owner.api.get(`${hook.route}/deliveries`);
    expect(log.body.data[0]).toMatchObject({ type: 'webhook.test', status: 503 });
  });

  it('is disabled by 410, is in the audit log, and continues where it stopped once it is enabled', async () => {
    const hook = await newHook();
    receiver.respond = (response) => void response.writeHead(410).end();
    await addRow(1);
    const disabled = await eventually(async () => {
      const state = await health(hook);
      return state.status === 'disabled' && state;
    });
    expect(disabled).toMatchObject({
      enabled: false,
      disabledReason: 'gone',
      consecutiveFailures: 1,
    });
    expect(disabled.oldestUndeliveredAt).not.toBeNull();
    await addRow(2);
    const events = await app.sql.query(
      "SELECT via, details FROM audit_events WHERE target_id = $1 AND action = 'webhook_disabled'",
      [hook.id],
    );
    expect(events.rows).toEqual([{ via: 'service', details: { reason: 'gone' } }]);
    receiver.respond = (response) => void response.writeHead(200).end();
    dataOf(await owner.api.patch(hook.route, { enabled: true }), 200);
    await poll();
    const received = await deliveries(hook, (all) => idsOf(all).includes(2));
    expect(idsOf(received)).toEqual([1, 1, 2]);
    await eventually(async () => (await health(hook)).status === 'active');
  });

  it('is disabled if an event fails for longer than WEBHOOK_DISABLE_AFTER_HOURS', async () => {
    const hook = await newHook();
    receiver.respond = (response) => void response.writeHead(503).end();
    await addRow(1);
    await deliveries(hook, (all) => all.length >= 2);
    await app.sql.query(
      "UPDATE webhook_lanes SET failing_since = now() - interval '121 hours' WHERE webhook_id = $1",
      [hook.id],
    );
    const state = await eventually(async () => {
      const found = await health(hook);
      return found.status === 'disabled' && found;
    });
    expect(state.disabledReason).toBe('failing');
  });

  it('sends changes.gap and continues at the head if changes were lost', async () => {
    const hook = await newHook();
    receiver.respond = (response) => void response.writeHead(410).end();
    await addRow(1);
    await eventually(async () => (await health(hook)).status === 'disabled');
    await addRow(2);
    await addRow(3);
    const datagridId = datagrid.slice('/datagrids/'.length);
    await app.sql.query('DELETE FROM datagrid_changes WHERE datagrid_id = $1 AND revision = 2', [
      datagridId,
    ]);
    receiver.respond = (response) => void response.writeHead(200).end();
    await owner.api.patch(hook.route, { enabled: true });
    await poll();
    const received = await deliveries(hook, (all) =>
      all.some(({ body }) => body.type === 'changes.gap'),
    );
    expect(received.at(-1)?.body.data).toMatchObject({ fromRevision: 1, revision: 3, rowIds: [] });
    await addRow(4);
    const [last] = (await deliveries(hook, (all) => idsOf(all).includes(4))).slice(-1);
    expect(last?.body.data).toMatchObject({ fromRevision: 3, revision: 4 });
  });

  it('sends exactly the changes since a time again', async () => {
    const hook = await newHook();
    await addRow(1);
    await deliveries(hook, (all) => all.length === 1);
    const id = await addRow(2);
    const { updatedAt } = dataOf(await owner.api.get(`${datagrid}/rows/${String(id)}`), 200);
    await addRow(3);
    await deliveries(hook, (all) => idsOf(all).includes(3));
    const before = receiver.at(hook.path).length;
    const replay = await owner.api.post(`${hook.route}/replay`, { since: updatedAt });
    expect(dataOf(replay, 200)).toEqual({ datagrids: 1 });
    await poll();
    const received = await deliveries(hook, (all) => idsOf(all.slice(before)).includes(3));
    expect(idsOf(received.slice(before))).toEqual([2, 3]);
    const ids = received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('does not follow a redirect, and cuts an endless response', async () => {
    const hook = await newHook();
    receiver.respond = (response) => {
      response.writeHead(307, { location: `${receiver.url}/elsewhere` }).end();
    };
    const redirected = dataOf(await owner.api.post(`${hook.route}/test`), 200);
    expect(redirected).toMatchObject({
      type: 'webhook.test',
      status: 307,
      error: 'The endpoint responded with 307. Redirects are not followed.',
    });
    expect(receiver.at('/elsewhere')).toEqual([]);
    receiver.respond = async (response) => {
      response.writeHead(200);
      while (!response.destroyed) {
        response.write('x'.repeat(10_000));
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const endless = dataOf(await owner.api.post(`${hook.route}/test`), 200);
    expect(endless).toMatchObject({ status: 200, error: null, response: 'x'.repeat(1_024) });
  });
});
