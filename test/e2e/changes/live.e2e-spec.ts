import { LiveReaders } from '../../../src/changes/live-readers';
import type { ApiResponse, Json } from '../../support/api-client';
import { DatagridCopy } from '../../support/datagrid-copy';
import { EventStream } from '../../support/event-stream';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

const COLUMNS = [{ key: 'n', type: 'integer' }];

let app: TestApp;
let other: TestApp;
let team: Team;
let datagrid: string;

beforeAll(async () => {
  app = await TestApp.shared();
  other = await TestApp.start({ database: app.database, settings: { MAX_LIVE_READERS: '2' } });
  team = await newTeam(app);
});

beforeEach(async () => {
  datagrid = await newDatagrid(team.owner.api, COLUMNS);
});

afterAll(async () => {
  await other.close();
  await app.close();
});

const create = async (n: number, place = app): Promise<Json> =>
  dataOf(await place.api(team.editor.key).post(`${datagrid}/rows`, { values: { n } }), 201);

const get = (query: string): Promise<ApiResponse> =>
  team.viewer.api.get(`${datagrid}/changes?${query}`);

const latest = async (): Promise<string> => (await get('cursor=latest')).body.meta.nextCursor;

const waiting = (): Promise<true> => eventually(() => readers() === 1);

/** Number of clients that wait for changes. */
const readers = (): number => app.nest.get(LiveReaders, { strict: false }).count;

const stream = (query = '', headers: Record<string, string> = {}): EventStream =>
  new EventStream(`${app.origin}/api/v1/public${datagrid}/changes${query}`, {
    authorization: `Bearer ${team.viewer.key}`,
    ...headers,
  });

const valuesOf = (items: readonly Json[]): number[] =>
  items.flatMap((item) => (item.op === 'set' ? [item.row.values.n as number] : []));

describe('GET /datagrids/{datagridId}/changes with wait', () => {
  it('returns at once if there are changes', async () => {
    const cursor = await latest();
    await create(1);
    const { body } = await get(`cursor=${cursor}&wait=30`);
    expect(valuesOf(body.data)).toEqual([1]);
  });

  it('returns a change that this instance commits while it waits', async () => {
    const response = get(`cursor=${await latest()}&wait=30`);
    await waiting();
    await create(2);
    expect(valuesOf((await response).body.data)).toEqual([2]);
  });

  it('returns a change that another instance commits while it waits', async () => {
    const response = get(`cursor=${await latest()}&wait=30`);
    await waiting();
    await create(3, other);
    expect(valuesOf((await response).body.data)).toEqual([3]);
  });

  it('returns an empty page if nothing changes', async () => {
    const cursor = await latest();
    const { body } = await get(`cursor=${cursor}&wait=1`);
    expect(body).toEqual({
      data: [],
      meta: { pageSize: 0, nextCursor: cursor, upToDate: true, hasMore: false },
    });
  });

  it('is not counted as a request in progress while it waits', async () => {
    const small = await TestApp.start({
      database: app.database,
      settings: { MAX_CONCURRENT_REQUESTS: '2' },
    });
    try {
      const path = `${datagrid}/changes?cursor=${await latest()}&wait=30`;
      const waits = small.nest.get(LiveReaders, { strict: false });
      const held: Promise<ApiResponse>[] = [];
      // A request is rejected while the one before it still looks for changes.
      await eventually(async () => {
        if (waits.count < 3) {
          const response = small.api(team.viewer.key).get(path);
          const early = await Promise.race([response, eventually(() => waits.count > held.length)]);
          if (early === true) held.push(response);
        }
        return held.length === 3;
      });
      // The last two requests may still be looking for changes.
      const listRows = (): Promise<ApiResponse> =>
        small.api(team.viewer.key).get(`${datagrid}/rows`);
      await eventually(async () => (await listRows()).status === 200);
      await create(4, small);
      for (const response of await Promise.all(held)) {
        expect(valuesOf(response.body.data)).toEqual([4]);
      }
    } finally {
      await small.close();
    }
  });

  it('returns 401 if the key is revoked while it waits', async () => {
    const { api, keyId } = await app.newUser(team.owner.accountId, 'viewer');
    const response = api.get(`${datagrid}/changes?cursor=${await latest()}&wait=30`);
    await waiting();
    await app.sql.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [keyId]);
    await create(5);
    expectFailure(await response, 'unauthenticated');
  });

  it('returns 404 if the datagrid is deleted while it waits', async () => {
    const response = get(`cursor=${await latest()}&wait=30`);
    await waiting();
    await team.owner.api.delete(datagrid);
    expectFailure(await response, 'not_found');
  });

  it('returns 429 if the account has too many clients that wait', async () => {
    const path = `${datagrid}/changes?cursor=${await latest()}&wait=30`;
    const api = other.api(team.viewer.key);
    const first = api.get(path);
    await eventually(() => other.nest.get(LiveReaders, { strict: false }).count === 1);
    expectFailure(await api.get(path), 'rate_limited');
    await create(6, other);
    expect((await first).status).toBe(200);
  });
});

describe('changes as a stream of events', () => {
  it('begin with the rows, continue with each change, and have the cursor as their id', async () => {
    await create(1);
    const events = stream();
    const first = await events.next();
    expect(events.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
    });
    const items = first.data.data as readonly Json[];
    expect(items.map(({ op }) => op as string)).toEqual(['schema', 'set']);
    expect(first.id).toBe(first.data.meta.nextCursor);
    await create(2);
    expect(valuesOf((await events.next()).data.data)).toEqual([2]);
    await create(3, other);
    const third = await events.next();
    expect(valuesOf(third.data.data)).toEqual([3]);
    events.close();
    await eventually(() => readers() === 0);
    await create(4);
    const resumed = stream('', { 'last-event-id': third.id });
    expect(valuesOf((await resumed.next()).data.data)).toEqual([4]);
    resumed.close();
  });

  it('give every reader every change', async () => {
    const streams = Array.from({ length: 20 }, () => stream('?cursor=latest'));
    await Promise.all(streams.map((each) => each.next()));
    const copies = streams.map(() => new DatagridCopy());
    for (let n = 0; n < 30; n += 1) await create(n, n % 2 ? app : other);
    await Promise.all(
      streams.map(async (each, index) => {
        const copy = copies[index] ?? new DatagridCopy();
        while (copy.rows.size < 30) copy.apply((await each.next()).data.data);
        each.close();
      }),
    );
    const rows = dataOf(await team.viewer.api.get(`${datagrid}/rows?limit=200`), 200);
    for (const copy of copies) expect(copy.list()).toEqual(rows);
  });

  it('are rejected with 410, so that a client does not try again with an old cursor', async () => {
    const cursor = await latest();
    await create(1);
    await app.sql.query('DELETE FROM datagrid_changes WHERE datagrid_id = $1', [
      datagrid.split('/')[2],
    ]);
    const response = await team.viewer.api.get(`${datagrid}/changes?cursor=${cursor}`, {
      accept: 'text/event-stream',
    });
    expectFailure(response, 'cursor_expired');
  });

  it('end when the datagrid is deleted', async () => {
    const events = stream('?cursor=latest');
    await events.next();
    await team.owner.api.delete(datagrid);
    await events.ended;
    expect(readers()).toBe(0);
  });

  it('end with the next change after the key was revoked', async () => {
    const { key, keyId } = await app.newUser(team.owner.accountId, 'viewer');
    const revoked = stream('?cursor=latest', { authorization: `Bearer ${key}` });
    const other = stream('?cursor=latest');
    await Promise.all([revoked.next(), other.next()]);
    await app.sql.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [keyId]);
    await create(1);
    await revoked.ended;
    await expect(revoked.next()).rejects.toThrow('The stream has ended.');
    expect(valuesOf((await other.next()).data.data)).toEqual([1]);
    other.close();
    await eventually(() => readers() === 0);
  });

  it('end when the service stops', async () => {
    const third = await TestApp.start({ database: app.database });
    const url = `${third.origin}/api/v1/public${datagrid}/changes?cursor=latest`;
    const events = new EventStream(url, { authorization: `Bearer ${team.viewer.key}` });
    await events.next();
    await third.close();
    await events.ended;
  });
});

describe('changes as a stream of lines', () => {
  const lines = async (query = ''): Promise<Json[]> => {
    const accept = { accept: 'application/x-ndjson' };
    const response = await team.viewer.api.get(`${datagrid}/changes${query}`, accept);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    const texts = response.text.split('\n');
    expect(texts.pop()).toBe('');
    return texts.map((text) => JSON.parse(text));
  };

  it('have all rows and changes, a cursor after each page, and end when up to date', async () => {
    for (let from = 0; from < 5_000; from += 1_000) {
      const rows = Array.from({ length: 1_000 }, (_, i) => ({ values: { n: from + i } }));
      dataOf(await team.editor.api.post(`${datagrid}/rows`, { rows }), 201);
    }
    const whole = await lines();
    expect(whole.filter(({ op }) => op === 'set')).toHaveLength(5_000);
    const cursors = whole.filter(({ op }) => op === 'cursor');
    expect(cursors.map(({ upToDate }) => upToDate)).toEqual([false, false, true]);
    expect(whole.at(-1)).toBe(cursors.at(-1));
    expect(await lines(`?cursor=${String(whole.at(-1).cursor)}`)).toEqual([whole.at(-1)]);
    dataOf(
      await team.editor.api.post(`${datagrid}/rows/delete`, { filter: { n: { $gte: 10 } } }),
      200,
    );
    const copy = new DatagridCopy();
    copy.apply(whole.filter(({ op }) => op !== 'cursor'));
    const rest = await lines(`?cursor=${String(cursors[0].cursor)}`);
    copy.apply(rest.filter(({ op }) => op !== 'cursor'));
    const rows = dataOf(await team.viewer.api.get(`${datagrid}/rows`), 200);
    expect(copy.list()).toEqual(rows);
  });
});
