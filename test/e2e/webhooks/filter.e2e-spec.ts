import { DeliveryService } from '../../../src/webhooks/delivery/delivery.service';
import type { Json } from '../../support/api-client';
import { FileBody } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { type Member, TestApp } from '../../support/test-app';
import { LOOPBACK_ALLOWED, type Received, WebhookReceiver } from '../../support/webhook-receiver';

const ROWS = 5_000;

const COLUMNS = [
  { key: 'n', type: 'integer' },
  { key: 'name', type: 'text' },
  { key: 'state', type: 'select', options: { choices: ['open', 'paid'] } },
];

const EVEN = {
  $or: [0, 2, 4, 6, 8].map((digit) => ({ name: { $contains: `${String(digit)};` } })),
};

let app: TestApp;
let owner: Member;
let receiver: WebhookReceiver;
let workspaceId: string;
let datagrid: string;
let datagridId: string;
let route: string;
let serial = 0;

beforeAll(async () => {
  const settings = {
    ...LOOPBACK_ALLOWED,
    IMPORT_BATCH_ROWS: String(ROWS),
    webhookRetrySeconds: [0.001],
    // A change of the webhook waits for attempts in progress as long as they can take.
    webhookTimeoutSeconds: 1,
  };
  app = await TestApp.start({ settings });
  receiver = await WebhookReceiver.start();
});

beforeEach(async () => {
  owner = await app.newAccount();
  workspaceId = await newWorkspace(owner.api);
  datagrid = await newDatagrid(owner.api, COLUMNS, workspaceId);
  datagridId = datagrid.slice('/datagrids/'.length);
  route = `/workspaces/${workspaceId}/webhooks`;
});

afterEach(async () => {
  await app.sql.query('DELETE FROM webhooks');
});

afterAll(async () => {
  await receiver.close();
  await app.close();
});

interface Hook {
  /** Path of the webhook in the API. */
  readonly route: string;
  /** Path of the endpoint. */
  readonly path: string;
}

/** Claims lanes now, and not with the next poll up to a second later. */
const poll = (of = app): Promise<number> =>
  of.nest.get(DeliveryService, { strict: false }).runOnce();

async function newHook(filter: object, body: object = {}): Promise<Hook> {
  const path = `/filter-${String((serial += 1))}`;
  const settings = { url: `${receiver.url}${path}`, datagridIds: [datagridId], filter, ...body };
  const { id } = dataOf(await owner.api.post(route, settings), 201);
  // Without webhooks, the service does not hear of changes before its next poll.
  await poll();
  return { route: `${route}/${String(id)}`, path };
}

async function addRow(values: object): Promise<number> {
  return dataOf(await owner.api.post(`${datagrid}/rows`, { values }), 201).id;
}

async function addRows(...rows: object[]): Promise<number[]> {
  const body = { rows: rows.map((values) => ({ values })) };
  const created = dataOf(await owner.api.post(`${datagrid}/rows`, body), 201) as Json[];
  return created.map(({ id }) => Number(id));
}

const update = async (id: number, values: object): Promise<Json> =>
  dataOf(await owner.api.patch(`${datagrid}/rows/${String(id)}`, { values }), 200);

const remove = (id: number): Promise<unknown> => owner.api.delete(`${datagrid}/rows/${String(id)}`);

const read = async (hook: Hook): Promise<Json> => dataOf(await owner.api.get(hook.route), 200);

const disabled = async (hook: Hook): Promise<Json> =>
  eventually(async () => {
    const state = await read(hook);
    return state.enabled ? undefined : state;
  });

/** Waits until a condition on the deliveries holds. */
const deliveries = (
  { path }: Hook,
  isReady: (received: readonly Received[]) => boolean,
): Promise<Received[]> => eventually(() => isReady(receiver.at(path)) && receiver.at(path));

/** Waits until the webhook has read the log up to a revision, and no sender has its lane. */
async function position(revision: number): Promise<void> {
  const sql =
    'SELECT FROM webhook_lanes WHERE datagrid_id = $1 AND revision = $2 AND leased_until <= now()';
  await eventually(async () => (await app.sql.query(sql, [datagridId, revision])).rowCount === 1);
}

const summary = ({ body }: Received): unknown[] => [body.type, body.data.rowIds];

describe('the filter of a webhook', () => {
  it('is returned as it was sent, changed, and removed', async () => {
    const filter = { state: 'open', $not: { $or: [{ n: { $in: [1, 2] } }, { _id: { $lt: 5 } }] } };
    const url = 'https://receiver.invalid/hook';
    const created = dataOf(
      await owner.api.post(route, { url, datagridIds: [datagridId.toUpperCase()], filter }),
      201,
    );
    expect(JSON.stringify(created.filter)).toBe(JSON.stringify(filter));
    const path = `${route}/${String(created.id)}`;
    expect(dataOf(await owner.api.get(route), 200)).toMatchObject([{ filter }]);
    expect(dataOf(await owner.api.patch(path, { payload: 'thin' }), 200).filter).toEqual(filter);
    const changed = { n: { $gte: 3 } };
    expect(dataOf(await owner.api.patch(path, { filter: changed }), 200).filter).toEqual(changed);
    const removed = await owner.api.patch(path, { filter: null, datagridIds: null });
    expect(dataOf(removed, 200)).toMatchObject({ filter: null, datagridIds: null });
    const { rows } = await app.sql.query(
      "SELECT details FROM audit_events WHERE target_id = $1 AND action = 'webhook_updated' ORDER BY id",
      [created.id],
    );
    expect(rows.map(({ details }: Json) => details.properties)).toEqual([
      'payload',
      'filter',
      'datagridIds, filter',
    ]);
  });

  it.each([
    ['a column that does not exist', { m: 1 }, 'filter.m', 'unknown_column'],
    ['a value of another type', { n: { $gt: 'x' } }, 'filter.n.$gt', 'wrong_type'],
    ['an unknown operator', { n: { $like: 1 } }, 'filter.n.$like', 'unknown_operator'],
    ['a value that is no choice', { state: 'lost' }, 'filter.state', 'not_a_choice'],
    ['an array', [], 'filter', 'wrong_type'],
    ['a text', '{}', 'filter', 'wrong_type'],
    ['an empty part', { $or: [{}] }, 'filter.$or.0', 'required'],
    [
      'more than 64 KiB',
      { name: { $in: Array.from({ length: 1_000 }, (_, n) => `${String(n)}${'x'.repeat(70)}`) } },
      'filter',
      'too_large',
    ],
  ])('is rejected with %s', async (_, filter, field, code) => {
    const hook = await newHook({});
    const url = receiver.url;
    for (const response of [
      await owner.api.post(route, { url, datagridIds: [datagridId], filter }),
      await owner.api.patch(hook.route, { filter }),
    ]) {
      expectFailure(response, 'invalid_request', [`${field} ${code}`]);
    }
  });

  it('is rejected if the rows routes reject its cost', async () => {
    const filter = {
      $or: Array.from({ length: 21 }, (_, n) => ({ name: { $contains: `a${String(n)}` } })),
    };
    const query = await owner.api.post(`${datagrid}/rows/query`, { filter });
    const created = await owner.api.post(route, {
      url: receiver.url,
      datagridIds: [datagridId],
      filter,
    });
    for (const response of [query, created]) {
      expectFailure(response, 'query_too_expensive', ['filter too_many']);
    }
    expect(created.body.error.message).toBe(query.body.error.message);
  });

  it('requires exactly one datagrid, of the same workspace, when either of them changes', async () => {
    const other = (
      await newDatagrid(owner.api, [{ key: 'name', type: 'text' }], workspaceId)
    ).slice(11);
    const url = receiver.url;
    const filter = { n: 1 };
    const hook = await newHook(filter);
    const plain = dataOf(await owner.api.post(route, { url }), 201);
    const both = [datagridId, other];
    for (const response of [
      await owner.api.post(route, { url, filter }),
      await owner.api.post(route, { url, filter, datagridIds: both }),
      await owner.api.patch(`${route}/${String(plain.id)}`, { filter }),
      await owner.api.patch(hook.route, { datagridIds: null }),
      await owner.api.patch(hook.route, { datagridIds: both }),
    ]) {
      expectFailure(response, 'invalid_request', ['filter incompatible_parameters']);
      expect(response.body.error.message).toBe(
        'filter: requires datagridIds with exactly one datagrid, whose columns it names; set datagridIds, or set filter to null',
      );
    }
    const moved = await owner.api.patch(hook.route, { datagridIds: [other] });
    expectFailure(moved, 'invalid_request', ['filter.n unknown_column']);
    const renewed = await owner.api.patch(hook.route, {
      datagridIds: [other],
      filter: { name: 'a' },
    });
    expect(dataOf(renewed, 200)).toMatchObject({ datagridIds: [other], filter: { name: 'a' } });
    // Both datagrids have a column of this key.
    const back = dataOf(await owner.api.patch(hook.route, { datagridIds: [datagridId] }), 200);
    expect(back.filter).toEqual({ name: 'a' });
    await addRows({ name: 'b' }, { name: 'a' });
    const received = await deliveries(hook, (all) => all.length > 0);
    expect(received.map(summary)).toEqual([['rows.created', [2]]]);
  });

  it('is not checked against a datagrid of another account', async () => {
    const stranger = await app.newAccount();
    const foreign = await newDatagrid(stranger.api, COLUMNS);
    const datagridIds = [foreign.slice('/datagrids/'.length)];
    for (const filter of [{ n: 1 }, { m: 1 }]) {
      const created = await owner.api.post(route, { url: receiver.url, datagridIds, filter });
      expectFailure(created, 'invalid_request', ['datagridIds.0 unknown_datagrid']);
    }
  });
});

describe('a webhook with a filter', () => {
  it.each(['full', 'thin'])(
    'sends the created and updated rows that match, and every deletion: %s',
    async (payload) => {
      const hook = await newHook({ state: 'paid' }, { payload });
      const first = await addRows({ n: 1, state: 'open' }, { n: 2, state: 'paid' }, { n: 3 });
      const [open = 0, paid = 0, none = 0] = first;
      await deliveries(hook, (all) => all.length === 1);
      // Not sent: neither matches afterwards.
      await addRow({ n: 4, state: 'open' });
      await update(none, { n: 5 });
      await update(paid, { state: 'open' });
      await update(open, { state: 'paid' });
      await deliveries(hook, (all) => all.length === 2);
      await remove(none);
      const received = await deliveries(hook, (all) => all.length === 3);
      expect(received.map(summary)).toEqual([
        ['rows.created', [paid]],
        ['rows.updated', [open]],
        ['rows.deleted', [none]],
      ]);
      expect(received.map(({ body }) => body.data.rowCount)).toEqual([1, 1, 1]);
      const rows = received.map(({ body }) =>
        (body.data.rows as Json[] | undefined)?.map(({ id }) => Number(id)),
      );
      expect(rows).toEqual(
        payload === 'full' ? [[paid], [open], undefined] : [undefined, undefined, undefined],
      );
      expect(received.map(({ body }) => body.data.revision)).toEqual([1, 5, 6]);
    },
  );

  it.each(['full', 'thin'])(
    'sends the matching rows of an import of 5,000 rows in consecutive parts: %s',
    async (payload) => {
      const hook = await newHook(EVEN, { payload });
      const few = await newHook({ n: { $lt: 100 } }, { payload });
      const lines = Array.from({ length: ROWS }, (_, n) => `${String(n)},${String(n)};`);
      const file = new FileBody('text/csv', `n,name\n${lines.join('\n')}\n`);
      dataOf(await owner.api.post(`${datagrid}/rows/import`, file), 201);
      const received = await deliveries(hook, (all) => all.length === 3);
      expect(received.map(({ body }) => body.data.part)).toEqual(
        [1, 2, 3].map((number) => ({ number, count: 3 })),
      );
      expect(received.map(({ body }) => body.data.rowCount)).toEqual([1_000, 1_000, 500]);
      const ids = received.flatMap(({ body }) => body.data.rowIds as number[]);
      expect(ids).toEqual(Array.from({ length: ROWS / 2 }, (_, index) => 2 * index + 1));
      const [event] = await deliveries(few, (all) => all.length === 1);
      expect(event?.body.data).toMatchObject({ rowCount: 100 });
      expect(event?.body.data.part).toBeUndefined();
      expect(event?.body.data.rows?.length).toBe(payload === 'full' ? 100 : undefined);
    },
  );

  it('sends the other events whatever the filter is', async () => {
    const hook = await newHook({ n: -1 });
    const [id = 0] = await addRows({ n: 1 });
    await remove(id);
    await owner.api.post(`${datagrid}/columns`, { key: 'more', type: 'text' });
    await owner.api.delete(datagrid);
    await owner.api.post(`/trash/${datagridId}/restore`);
    const received = await deliveries(hook, (all) => all.length === 4);
    expect(received.map(({ body }) => body.type)).toEqual([
      'rows.deleted',
      'columns.changed',
      'datagrid.deleted',
      'datagrid.restored',
    ]);
  });

  it('moves its position past rows that do not match, without a delivery', async () => {
    const hook = await newHook({ n: { $gt: 100 } });
    await addRows({ n: 1 }, { n: 2 });
    await position(1);
    const id = await addRow({ n: 101 });
    const received = await deliveries(hook, (all) => all.length > 0);
    expect(received.map(summary)).toEqual([['rows.created', [id]]]);
    // An attempt is in the log only after the response of the endpoint.
    const log = await eventually(async () => {
      const found = dataOf(await owner.api.get(`${hook.route}/deliveries`), 200) as Json[];
      return found.length > 0 && found;
    });
    expect(log).toHaveLength(1);
  });

  it('filters what it sent while the datagrid is in the trash', async () => {
    const hook = await newHook({ n: 2 }, { enabled: false });
    const [, id] = await addRows({ n: 1 }, { n: 2 });
    await owner.api.delete(datagrid);
    dataOf(await owner.api.patch(hook.route, { enabled: true }), 200);
    await poll();
    const received = await deliveries(hook, (all) => all.length === 2);
    expect(received.map(summary)).toEqual([
      ['rows.created', [id]],
      ['datagrid.deleted', []],
    ]);
  });

  it('filters a replay', async () => {
    const hook = await newHook({ n: 2 });
    const [first = 0, second = 0] = await addRows({ n: 1 }, { n: 2 });
    await deliveries(hook, (all) => all.length === 1);
    await update(first, { n: 2 });
    await deliveries(hook, (all) => all.length === 2);
    await update(second, { n: 3 });
    await position(3);
    const since = new Date(Date.now() - 60_000).toISOString();
    dataOf(await owner.api.post(`${hook.route}/replay`, { since }), 200);
    await poll();
    const received = await deliveries(hook, (all) => all.length === 4);
    expect(received.slice(2).map(summary)).toEqual([
      ['rows.created', [first]],
      ['rows.updated', [first]],
    ]);
  });

  it('goes on when its column is renamed', async () => {
    const hook = await newHook({ n: { $gt: 1 } });
    dataOf(await owner.api.patch(`${datagrid}/columns/n`, { title: 'Count' }), 200);
    await deliveries(hook, (all) => all.length === 1);
    // No route changes the key of a column yet.
    await app.sql.query(
      `WITH renamed AS (
        UPDATE datagrid_columns SET key = 'count' WHERE datagrid_id = $1 AND key = 'n'
      )
      UPDATE datagrid_counters SET schema_version = schema_version + 1 WHERE datagrid_id = $1`,
      [datagridId],
    );
    expect((await read(hook)).filter).toEqual({ count: { $gt: 1 } });
    const [, id] = await addRows({ count: 1 }, { count: 2 });
    const received = await deliveries(hook, (all) => all.length === 2);
    expect(received.at(-1)?.body.data).toMatchObject({ rowIds: [id], rows: [{ id }] });
  });

  it.each([
    [
      'a removed column',
      'delete',
      '/columns/n',
      undefined,
      { 'n~1': 1, state: 'open' },
      'filter.n~1 unknown_column',
    ],
    [
      'a column of another type',
      'patch',
      '/columns/n',
      { type: 'text' },
      { n: 1, state: 'open' },
      'filter.n wrong_type',
    ],
    [
      'a removed choice',
      'patch',
      '/columns/state',
      { options: { choices: ['paid'] } },
      { n: 1, state: 'open' },
      'filter.state not_a_choice',
    ],
  ] as const)(
    'is disabled by %s, says why, and continues once the filter is valid',
    async (_, method, path, body, shown, rejected) => {
      const hook = await newHook({ n: 1, state: 'open' });
      await addRow({ state: 'paid' });
      const changed =
        method === 'delete'
          ? await owner.api.delete(`${datagrid}${path}`)
          : await owner.api.patch(`${datagrid}${path}`, body);
      expect(changed.status).toBeLessThan(300);
      const state = await disabled(hook);
      expect(state).toMatchObject({
        status: 'disabled',
        disabledReason: 'filter',
        filter: shown,
      });
      const audited = await app.sql.query<{ via: string; details: object }>(
        "SELECT via, details FROM audit_events WHERE action = 'webhook_disabled' AND target_id = $1",
        [state.id],
      );
      expect(audited.rows).toEqual([{ via: 'service', details: { reason: 'filter' } }]);
      const [, id] = await addRows({ state: 'paid', name: 'a' }, { state: 'paid', name: 'b' });
      expect(receiver.at(hook.path)).toEqual([]);
      const enabled = await owner.api.patch(hook.route, { enabled: true });
      expectFailure(enabled, 'invalid_request', [rejected]);
      const change = { filter: { name: 'b' }, enabled: true };
      expect(dataOf(await owner.api.patch(hook.route, change), 200)).toMatchObject({
        ...change,
        disabledReason: null,
      });
      await poll();
      const received = await deliveries(hook, (all) => all.length === 2);
      expect(received.map(summary)).toEqual([
        ['columns.changed', []],
        ['rows.created', [id]],
      ]);
    },
  );

  it('continues when a column that it names is restored, with the rows that have a value again', async () => {
    const hook = await newHook({ n: 1 });
    const [matching] = await addRows({ n: 1 }, { n: 2 });
    await deliveries(hook, (received) => received.length === 1);
    expect((await owner.api.delete(`${datagrid}/columns/n`)).status).toBe(204);
    await disabled(hook);
    const path = `${datagrid}/trash/columns/restore`;
    dataOf(await owner.api.post(path, { id: 1, key: 'm' }), 200);
    const enabled = await owner.api.patch(hook.route, { enabled: true });
    expect(dataOf(enabled, 200)).toMatchObject({ enabled: true, filter: { m: 1 } });
    await poll();
    const received = await deliveries(hook, (all) => all.length === 4);
    expect(received.map(summary)).toEqual([
      ['rows.created', [matching]],
      ['columns.changed', []],
      ['columns.changed', []],
      ['rows.updated', [matching]],
    ]);
    expect(received[3]?.body.data.rows).toMatchObject([{ id: matching, values: { m: 1 } }]);
  });

  it('does not take a new column for a removed one with the same key', async () => {
    const empty = await newDatagrid(
      owner.api,
      [{ key: 'a', type: 'text' }, ...COLUMNS],
      workspaceId,
    );
    const datagridIds = [empty.slice('/datagrids/'.length)];
    const hook = await newHook({ a: 'x' }, { datagridIds, enabled: false });
    await owner.api.delete(`${empty}/columns/a`);
    dataOf(await owner.api.post(`${empty}/columns`, { key: 'a', type: 'text' }), 201);
    expect((await read(hook)).filter).toEqual({ 'a~1': 'x' });
    const enabled = await owner.api.patch(hook.route, { enabled: true });
    expectFailure(enabled, 'invalid_request', ['filter.a~1 unknown_column']);
  });

  it('is disabled if an instance of an earlier release changed its datagrids', async () => {
    const hook = await newHook({ n: 1 });
    const other = await newDatagrid(owner.api, COLUMNS, workspaceId);
    await app.sql.query('UPDATE webhooks SET datagrid_ids = NULL');
    dataOf(await owner.api.post(`${other}/rows`, { values: { n: 1 } }), 201);
    expect(await disabled(hook)).toMatchObject({ disabledReason: 'filter' });
    expect(receiver.at(hook.path)).toEqual([]);
  });
});

describe('a filter that takes longer than QUERY_TIMEOUT_MS', () => {
  let slow: TestApp;

  beforeAll(async () => {
    slow = await TestApp.start({
      settings: { ...LOOPBACK_ALLOWED, webhookRetrySeconds: [0.1], QUERY_TIMEOUT_MS: '100' },
    });
  });

  afterAll(() => slow.close());

  it('is tried again, and the webhook says so until an event is delivered', async () => {
    owner = await slow.newAccount();
    workspaceId = await newWorkspace(owner.api);
    datagrid = await newDatagrid(owner.api, COLUMNS, workspaceId);
    datagridId = datagrid.slice('/datagrids/'.length);
    route = `/workspaces/${workspaceId}/webhooks`;
    const hook = await newHook({ n: 2 }, { enabled: false });
    const [, id] = await addRows({ n: 1 }, { n: 2 });
    const blocker = await slow.sql.connect();
    try {
      // Reads of rows wait.
      await blocker.query('BEGIN; LOCK TABLE rows IN ACCESS EXCLUSIVE MODE');
      dataOf(await owner.api.patch(hook.route, { enabled: true }), 200);
      const state = await eventually(async () => {
        await poll(slow);
        const found = await read(hook);
        return found.consecutiveFailures >= 2 ? found : undefined;
      });
      expect(state).toMatchObject({
        status: 'failing',
        lastError: 'The filter of the webhook took too long. Use one that costs less.',
        enabled: true,
      });
      expect(receiver.at(hook.path)).toEqual([]);
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
    await eventually(async () => {
      await poll(slow);
      return receiver.at(hook.path).length > 0;
    });
    expect(receiver.at(hook.path).map(summary)).toEqual([['rows.created', [id]]]);
    await eventually(async () => (await read(hook)).status === 'active');
    expect(dataOf(await owner.api.get(`${hook.route}/deliveries`), 200)).toMatchObject([
      { attempt: 1 },
    ]);
  });
});
