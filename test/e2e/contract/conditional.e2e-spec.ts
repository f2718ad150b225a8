import type { ApiResponse } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newWorkspace, NO_ID } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

const STRONG = /^"[\x21\x23-\x7e]+"$/;

let app: TestApp;
let other: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.alone('It locks the whole table of rows.');
  other = await TestApp.start({ database: app.database });
  owner = await app.newAccount();
});

afterAll(async () => {
  await other.close();
  await app.close();
});

const etagOf = ({ headers }: ApiResponse): string => {
  const etag = headers.get('etag') ?? '';
  expect(etag).toMatch(STRONG);
  return etag;
};

/** A new resource with a version, and a change to it. */
interface Thing {
  readonly path: string;
  /** Response to its creation. */
  readonly made: ApiResponse;
  readonly change: object;
}

const THINGS = {
  workspace: async () => {
    const made = await owner.api.post('/workspaces', { name: `W ${String(Math.random())}` });
    const path = `/workspaces/${dataOf(made, 201).id}`;
    return { path, made, change: { description: 'Changed' } };
  },
  datagrid: async () => {
    const workspace = await newWorkspace(owner.api);
    const body = {
      name: 'D',
      columns: [{ key: 's', type: 'select', options: { choices: ['x'] } }],
    };
    const made = await owner.api.post(`/workspaces/${workspace}/datagrids`, body);
    return { path: `/datagrids/${dataOf(made, 201).id}`, made, change: { description: 'Changed' } };
  },
  column: async () => {
    const datagrid = await newDatagrid(owner.api, []);
    const made = await owner.api.post(`${datagrid}/columns`, { key: 'a', type: 'text' });
    return { path: `${datagrid}/columns/a`, made, change: { title: 'Changed' } };
  },
  row: async () => {
    const datagrid = await newDatagrid(owner.api, [{ key: 'a', type: 'text' }]);
    const made = await owner.api.post(`${datagrid}/rows`, { values: { a: 'x' } });
    return { path: `${datagrid}/rows/1`, made, change: { values: { a: 'y' } } };
  },
} satisfies Record<string, () => Promise<Thing>>;

describe.each(Object.entries(THINGS))('the ETag of a %s', (_, make) => {
  it('is the same in the response to a write and in the next read', async () => {
    const { path, made, change } = await make();
    const read = await owner.api.get(path);
    expect(etagOf(read)).toBe(etagOf(made));
    expect(read.body).toEqual(made.body);
    const changed = await owner.api.patch(path, change);
    expect(etagOf(changed)).not.toBe(etagOf(made));
    expect(etagOf(await owner.api.get(path))).toBe(etagOf(changed));
  });

  it('returns 304 for If-None-Match until the resource changes', async () => {
    const { path, made, change } = await make();
    const known = { 'if-none-match': `"other", W/${etagOf(made)}` };
    const again = await owner.api.get(path, known);
    expect([again.status, again.text, etagOf(again)]).toEqual([304, '', etagOf(made)]);
    expect((await owner.api.get(path, { 'if-none-match': '*' })).status).toBe(304);
    await owner.api.patch(path, change);
    expect((await owner.api.get(path, known)).status).toBe(200);
  });

  it('allows a change if If-Match names it, lists it or is *', async () => {
    const { path, made, change } = await make();
    const first = await owner.api.patch(path, change, { 'if-match': etagOf(made) });
    dataOf(first, 200);
    const list = `"other" , ${etagOf(first)},W/"weak"`;
    const second = await owner.api.patch(path, change, { 'if-match': list });
    dataOf(second, 200);
    dataOf(await owner.api.patch(path, change, { 'if-match': '*' }), 200);
    const last = etagOf(await owner.api.get(path));
    expect((await owner.api.delete(path, { 'if-match': last })).status).toBe(204);
  });

  it('returns 412 for a change or deletion with a stale If-Match, and changes nothing', async () => {
    const { path, made, change } = await make();
    const before = await owner.api.patch(path, change);
    for (const tag of [etagOf(made), '"other"', `W/${etagOf(before)}`, '""']) {
      const stale = { 'if-match': tag };
      expectFailure(await owner.api.patch(path, change, stale), 'precondition_failed');
      expectFailure(await owner.api.delete(path, stale), 'precondition_failed');
    }
    const after = await owner.api.get(path);
    expect(after.body).toEqual(before.body);
    expect(etagOf(after)).toBe(etagOf(before));
  });

  it('returns 412 for a change or deletion of a version that If-None-Match excludes', async () => {
    const { path, made, change } = await make();
    for (const tag of ['*', etagOf(made), `"other", W/${etagOf(made)}`]) {
      const excluded = { 'if-none-match': tag };
      const failed = await owner.api.patch(path, change, excluded);
      expectFailure(failed, 'precondition_failed');
      expect(failed.body.error.message).toBe(
        'The resource exists, and its ETag matches If-None-Match.',
      );
      expectFailure(await owner.api.delete(path, excluded), 'precondition_failed');
    }
    expect(etagOf(await owner.api.get(path))).toBe(etagOf(made));
    dataOf(await owner.api.patch(path, change, { 'if-none-match': '"other"' }), 200);
  });

  it.each(['', 'x', '"a" "b"', '*, "a"', '"a'])('returns 400 for If-Match %j', async (tag) => {
    const { path, change } = await make();
    const detail = ['If-Match invalid_format'];
    const headers = { 'if-match': tag };
    expectFailure(await owner.api.patch(path, change, headers), 'invalid_request', detail);
    expectFailure(await owner.api.delete(path, headers), 'invalid_request', detail);
  });

  it('returns 404 for a missing resource or one of another account, whatever is sent as a condition', async () => {
    const { path, made, change } = await make();
    const outsider = await app.newAccount();
    await owner.api.delete(path, { 'if-match': etagOf(made) });
    for (const tag of ['*', etagOf(made)]) {
      const headers = { 'if-match': tag };
      expectFailure(await owner.api.patch(path, change, headers), 'not_found');
      expectFailure(await owner.api.delete(path, headers), 'not_found');
    }
    const living = await make();
    const headers = { 'if-match': '"x"' };
    expectFailure(await outsider.api.patch(living.path, living.change, headers), 'not_found');
    expectFailure(await outsider.api.get(living.path, { 'if-none-match': '*' }), 'not_found');
  });

  it('allows one of many concurrent changes with the same If-Match over two instances, and returns 412 for the others', async () => {
    const { path, made, change } = await make();
    const headers = { 'if-match': etagOf(made) };
    const apis = [owner.api, other.api(owner.key)];
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_unused, index) =>
        (apis[index % 2] ?? owner.api).patch(path, change, headers),
      ),
    );
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 11 }, () => 412)]);
  });
});

describe('replacing a row with If-Match', () => {
  it('returns 200 with the new ETag if the row has not changed, and 412 if it has', async () => {
    const { path, made, change } = await THINGS.row();
    const replaced = await owner.api.put(path, change, { 'if-match': etagOf(made) });
    dataOf(replaced, 200);
    expect(etagOf(await owner.api.get(path))).toBe(etagOf(replaced));
    const stale = await owner.api.put(path, change, { 'if-match': etagOf(made) });
    expectFailure(stale, 'precondition_failed');
  });
});

describe('a write whose route checks no versions', () => {
  const BODIES: Record<string, object> = {
    '/rows': { values: {} },
    '/rows/batch': { mode: 'atomic', operations: [{ op: 'delete', id: 1 }] },
    '/rows/delete': { filter: {} },
    '/rows/undo': { revision: 1 },
    '/columns': { key: 'b', type: 'text' },
    '/views': { name: 'V' },
  };

  it.each(Object.entries(BODIES))('returns 400 with a condition: POST %s', async (route, body) => {
    const { path } = await THINGS.row();
    const datagrid = path.replace('/rows/1', '');
    const before = await owner.api.get(datagrid);
    for (const [name, tag] of [
      ['If-Match', '"other"'],
      ['If-None-Match', '*'],
      ['If-None-Match', '"other"'],
    ] as const) {
      const response = await owner.api.post(datagrid + route, body, { [name]: tag });
      expectFailure(response, 'invalid_request', [`${name} incompatible_parameters`]);
      expect(response.body.error.message).toBe(
        `${name}: is not checked by this route; leave it out`,
      );
    }
    expect((await owner.api.get(datagrid)).body).toEqual(before.body);
    expect((await owner.api.post(datagrid + route, body, { 'if-match': '*' })).status).toBeLessThan(
      300,
    );
  });

  it('returns 400 with a condition for an upsert, and 200 for a query', async () => {
    const { path } = await THINGS.row();
    const rows = path.replace('/1', '');
    const stale = { 'if-match': '"other"', 'if-none-match': '*' };
    const body = { matchOn: ['a'], rows: [{ values: { a: 'x' } }] };
    const details = ['If-Match', 'If-None-Match'].map((name) => `${name} incompatible_parameters`);
    expectFailure(await owner.api.put(rows, body, stale), 'invalid_request', details);
    dataOf(await owner.api.post(`${rows}/query`, {}, stale), 200);
  });
});

describe('the ETag of a datagrid', () => {
  it('does not change with its rows, and changes with its columns', async () => {
    const { path, made } = await THINGS.datagrid();
    await owner.api.post(`${path}/rows`, { values: { s: 'x' } });
    expect(etagOf(await owner.api.get(path))).toBe(etagOf(made));
    await owner.api.patch(path, { description: 'x' }, { 'if-match': etagOf(made) });
    const renamed = etagOf(await owner.api.get(path));
    await owner.api.post(`${path}/columns`, { key: 'b', type: 'text' });
    const stale = await owner.api.patch(path, { description: 'y' }, { 'if-match': renamed });
    expectFailure(stale, 'precondition_failed');
  });
});

describe('the ETag of a row', () => {
  it('does not change with other rows, and changes with the columns', async () => {
    const { path, made } = await THINGS.row();
    const datagrid = path.replace('/rows/1', '');
    await owner.api.post(`${datagrid}/rows`, { values: {} });
    expect(etagOf(await owner.api.get(path))).toBe(etagOf(made));
    await owner.api.delete(`${datagrid}/columns/a`);
    expect(etagOf(await owner.api.get(path))).not.toBe(etagOf(made));
  });
});

describe('the ETag of a page of rows', () => {
  const QUERIES = ['', '?page=2&limit=1', '?filter={"n":{"$gte":2}}', '?sort=-n', '?cursor='];
  let datagrid: string;

  beforeAll(async () => {
    datagrid = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }]);
    const rows = [1, 2, 3].map((n) => ({ values: { n } }));
    dataOf(await owner.api.post(`${datagrid}/rows`, { rows }), 201);
  });

  it.each(QUERIES)('returns 304 for the query %j until something is written', async (query) => {
    const path = `${datagrid}/rows${query}`;
    const first = await owner.api.get(path);
    dataOf(first, 200);
    const known = { 'if-none-match': etagOf(first) };
    const again = await owner.api.get(path, known);
    expect([again.status, again.text, etagOf(again)]).toEqual([304, '', etagOf(first)]);
    expect((await owner.api.get(path, { 'if-none-match': '"other"' })).body).toEqual(first.body);
    await owner.api.patch(`${datagrid}/rows/1`, { values: { n: 1 } });
    const moved = await owner.api.get(path, known);
    expect(moved.status).toBe(200);
    expect(etagOf(moved)).not.toBe(etagOf(first));
  });

  it('differs between queries', async () => {
    const tags = await Promise.all(
      ['?sort=n', '?sort=-n', '?sort=n&limit=1', '?sort=n&fields=n', '?cursor=', '?limit=3'].map(
        async (query) => etagOf(await owner.api.get(`${datagrid}/rows${query}`)),
      ),
    );
    expect(new Set(tags).size).toBe(tags.length);
  });

  it('returns 304 without reading rows', async () => {
    const etag = etagOf(await owner.api.get(`${datagrid}/rows`));
    const found = etagOf(await owner.api.get(`${datagrid}/rows?sort=n`));
    // Locks the table, so that any read of rows would wait.
    const locker = await app.sql.connect();
    try {
      await locker.query('BEGIN; LOCK TABLE rows IN ACCESS EXCLUSIVE MODE');
      const known = await owner.api.get(`${datagrid}/rows`, { 'if-none-match': etag });
      const sorted = await owner.api.get(`${datagrid}/rows?sort=n`, { 'if-none-match': found });
      expect([known.status, sorted.status]).toEqual([304, 304]);
    } finally {
      await locker.query('ROLLBACK');
      locker.release();
    }
  });

  it('returns 400 for an invalid query and 404 for a missing datagrid, whatever If-None-Match says', async () => {
    const known = { 'if-none-match': '*' };
    expect((await owner.api.get(`${datagrid}/rows?page=0`, known)).status).toBe(400);
    expect((await owner.api.get(`${datagrid}/rows?sort=none`, known)).status).toBe(400);
    for (const query of ['', '?sort=n']) {
      const missing = await owner.api.get(`/datagrids/${NO_ID}/rows${query}`, known);
      expectFailure(missing, 'not_found');
      const outsider = await app.newAccount();
      const foreign = await outsider.api.get(`${datagrid}/rows${query}`, known);
      expectFailure(foreign, 'not_found');
    }
  });
});
