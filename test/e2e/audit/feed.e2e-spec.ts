import { newId } from '../../../src/common/text/id';
import type { ApiClient, Json } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newWorkspace } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

let app: TestApp;
let owner: Member;
let api: ApiClient;

beforeAll(async () => {
  app = await TestApp.shared();
});

beforeEach(async () => {
  owner = await app.newAccount();
  ({ api } = owner);
});

afterAll(() => app.close());

interface Page {
  readonly data: readonly Json[];
  readonly meta: {
    readonly pageSize: number;
    readonly nextCursor: string;
    readonly upToDate: boolean;
    readonly hasMore: boolean;
  };
}

async function page(query: string, client = api): Promise<Page> {
  const response = await client.get(`/audit-events/feed?${query}`);
  expect(response.status).toBe(200);
  return response.body as Page;
}

/** Reads from a cursor to the end. */
async function readAll(cursor = 'start', limit = 2): Promise<{ ids: string[]; cursor: string }> {
  const ids: string[] = [];
  for (let next = cursor; ;) {
    const { data, meta } = await page(`limit=${String(limit)}&cursor=${next}`);
    expect(meta).toMatchObject({ pageSize: data.length, hasMore: !meta.upToDate });
    if (meta.hasMore) expect(data).toHaveLength(limit);
    ids.push(...data.map(({ id }) => id as string));
    next = meta.nextCursor;
    if (meta.upToDate) return { ids, cursor: next };
  }
}

/** Returns the ids of all events, oldest first. */
async function listed(): Promise<string[]> {
  const events = dataOf(await api.get('/audit-events?limit=200'), 200) as unknown as Json[];
  return events.map(({ id }) => id as string).reverse();
}

describe('the feed of audit events', () => {
  it('returns each event once, oldest first, and then what was added', async () => {
    await newWorkspace(api);
    const first = await readAll();
    expect(first.ids).toEqual(await listed());
    expect(await readAll(first.cursor)).toEqual({ ids: [], cursor: first.cursor });
    await newWorkspace(api);
    const { data, meta } = await page(`cursor=${first.cursor}`);
    expect(data).toMatchObject([{ action: 'workspace_created', by: { via: 'key' } }]);
    expect(meta).toMatchObject({ pageSize: 1, upToDate: true, hasMore: false });
    expect((await readAll()).ids).toEqual(await listed());
  });

  it('has the events of one account only, for which a cursor of another account has expired', async () => {
    const { ids, cursor } = await readAll();
    const other = await app.newAccount();
    const { data } = await page('', other.api);
    expect(data.filter(({ id }) => ids.includes(id as string))).toEqual([]);
    const response = await other.api.get(`/audit-events/feed?cursor=${cursor}`);
    expectFailure(response, 'cursor_expired');
  });

  it('returns an event whose transaction commits late after those that were read before', async () => {
    const { ids, cursor } = await readAll();
    const client = await app.sql.connect();
    const late = newId();
    try {
      await client.query('BEGIN');
      await client.query(
        `INSERT INTO audit_events (account_id, id, action, via, target_kind, target_id)
         VALUES ($1, $2, 'account_resumed', 'operator', 'account', $1)`,
        [owner.accountId, late],
      );
      await newWorkspace(api);
      const between = await readAll(cursor);
      expect(between.ids).toHaveLength(1);
      await client.query('COMMIT');
      expect((await readAll(between.cursor)).ids).toEqual([late]);
      expect((await readAll()).ids).toEqual([...ids, ...between.ids, late]);
    } finally {
      client.release();
    }
  });

  it('gives every reader the same order, also if several read at once', async () => {
    for (let n = 0; n < 5; n += 1) await newWorkspace(api);
    const readers = await Promise.all([1, 2, 3, 4].map((limit) => readAll('start', limit)));
    const all = await listed();
    expect(readers.map(({ ids }) => ids)).toEqual([all, all, all, all]);
    const { rows } = await app.sql.query<{ position: number }>(
      'SELECT position::int FROM audit_events WHERE account_id = $1 ORDER BY position',
      [owner.accountId],
    );
    expect(rows.map(({ position }) => position)).toEqual(all.map((_, index) => index + 1));
  });

  it('loses no event of writers that run beside the reader', async () => {
    const writers = Promise.all(
      [1, 2, 3, 4].map(async () => {
        for (let n = 0; n < 5; n += 1) await newWorkspace(api);
      }),
    );
    let { ids, cursor } = await readAll();
    for (let isDone = false; !isDone;) {
      isDone = (await Promise.race([writers.then(() => true), app.sql.query('SELECT')])) === true;
      const read = await readAll(cursor);
      ({ cursor } = read);
      ids = [...ids, ...read.ids];
    }
    expect([...ids].sort()).toEqual(await listed());
    expect((await readAll()).ids).toEqual(ids);
  });

  it('returns 410 for a cursor after which events are gone, and continues if none is', async () => {
    for (let n = 0; n < 3; n += 1) await newWorkspace(api);
    const { data, meta } = await page('limit=2');
    const { ids } = await readAll();
    const remove = (...gone: (string | undefined)[]): Promise<unknown> =>
      app.sql.query('DELETE FROM audit_events WHERE account_id = $1 AND id = ANY($2)', [
        owner.accountId,
        gone,
      ]);
    await remove(...data.map(({ id }) => id as string));
    expect((await readAll(meta.nextCursor)).ids).toEqual(ids.slice(2));
    await remove(ids[2]);
    const response = await api.get(`/audit-events/feed?cursor=${meta.nextCursor}`);
    expectFailure(response, 'cursor_expired');
    expect((await readAll()).ids).toEqual(ids.slice(3));
  });

  it('returns 410 if events that nobody has read are gone', async () => {
    const { cursor } = await readAll();
    await newWorkspace(api);
    const sql = 'DELETE FROM audit_events WHERE account_id = $1';
    await app.sql.query(sql, [owner.accountId]);
    await newWorkspace(api);
    expectFailure(await api.get(`/audit-events/feed?cursor=${cursor}`), 'cursor_expired');
    expect((await readAll()).ids).toEqual(await listed());
  });

  it('returns 410 after the restore of a backup that lacks events which were read', async () => {
    const before = await readAll();
    await newWorkspace(api);
    const { ids, cursor } = await readAll(before.cursor);
    const { accountId } = owner;
    await app.sql.query('DELETE FROM audit_events WHERE account_id = $1 AND id = ANY($2)', [
      accountId,
      ids,
    ]);
    await app.sql.query(
      'UPDATE audit_positions SET position = position - 1 WHERE account_id = $1',
      [accountId],
    );
    await newWorkspace(api);
    expect((await readAll(before.cursor)).ids).toHaveLength(1);
    expectFailure(await api.get(`/audit-events/feed?cursor=${cursor}`), 'cursor_expired');
  });

  const encoded = (text: string): string => Buffer.from(text).toString('base64url');

  it.each([
    ['limit=0', 'limit out_of_range'],
    ['limit=1001', 'limit out_of_range'],
    ['limit=ten', 'limit invalid_format'],
    ['cursor=x', 'cursor invalid_format'],
    [`cursor=${encoded('1:x')}`, 'cursor invalid_format'],
    [`cursor=${encoded(`-1:${newId()}`)}`, 'cursor invalid_format'],
    [`cursor=${encoded(`1:${newId()}`)}=`, 'cursor invalid_format'],
    ['cursor=start&cursor=start', 'cursor duplicate_parameter'],
    ['wait=3', 'wait unknown_parameter'],
  ])('returns 400 for %s', async (query, detail) => {
    expectFailure(await api.get(`/audit-events/feed?${query}`), 'invalid_request', [detail]);
  });
});

describe('audit events', () => {
  it('can be read with a key of an owner that has no other scope, and with no key that is limited to a part', async () => {
    const id = await newWorkspace(api);
    const console_ = await app.console(owner);
    const keyWith = async (limits: object): Promise<ApiClient> => {
      const { body } = await console_.post('/keys', { name: 'SIEM', ...limits });
      return app.api((body.data as { key: string }).key);
    };
    const siem = await keyWith({ scopes: ['audit:read'] });
    for (const path of ['/audit-events', '/audit-events/feed']) {
      expect((await siem.get(path)).status).toBe(200);
      for (const limits of [{ scopes: ['rows:read'] }, { workspaceIds: [id] }]) {
        expectFailure(await (await keyWith(limits)).get(path), 'forbidden');
      }
    }
    expectFailure(await siem.get('/workspaces'), 'forbidden');
  });
});
