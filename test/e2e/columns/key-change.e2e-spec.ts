import { expectFailure } from '../../support/failure';
import type { ApiResponse } from '../../support/api-client';
import { dataOf, newDatagrid, newView, newWorkspace } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { importCsv, importNdjson } from '../import/sending';

let app: TestApp;
let owner: Member;
let stranger: Member;
let workspace: string;
let grid: string;

const COLUMNS = [
  { key: 'sku', type: 'text', unique: true, required: true },
  { key: 'size', type: 'integer', indexed: true },
];

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  stranger = await app.newAccount();
  workspace = await newWorkspace(owner.api);
});

beforeEach(async () => {
  grid = await newDatagrid(owner.api, COLUMNS, workspace);
  await owner.api.post(`${grid}/rows`, {
    rows: [{ values: { sku: 'a', size: 1 } }, { values: { sku: 'b', size: 2 } }],
  });
});

afterAll(() => app.close());

/** Changes the keys of both columns. */
async function rename(): Promise<void> {
  dataOf(await owner.api.patch(`${grid}/columns/sku`, { key: 'code' }), 200);
  dataOf(await owner.api.patch(`${grid}/columns/size`, { key: 'length' }), 200);
}

/** Lets a previous key of a column expire. */
async function expire(column: string, key: string): Promise<void> {
  await app.sql.query(
    'UPDATE datagrid_columns SET previous_keys = $3 WHERE datagrid_id = $1 AND key = $2',
    [
      grid.replace('/datagrids/', ''),
      column,
      JSON.stringify([{ key, expiresAt: '2026-01-01T00:00:00.000Z' }]),
    ],
  );
}

const read = async (query = ''): Promise<unknown[]> => {
  const rows = dataOf(await owner.api.get(`${grid}/rows?limit=200${query}`), 200) as unknown as {
    values: unknown;
  }[];
  return rows.map(({ values }) => values);
};

describe('a column with a changed key', () => {
  it('keeps its values, its place, its title and its index', async () => {
    const before = dataOf(await owner.api.get(grid), 200).columns[1];
    const changed = dataOf(await owner.api.patch(`${grid}/columns/size`, { key: 'length' }), 200);
    const expiresAt = changed.previousKeys[0].expiresAt as string;
    const days = (Date.parse(expiresAt) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(90);
    const after = { ...before, key: 'length', previousKeys: [{ key: 'size', expiresAt }] };
    expect(changed).toEqual(after);
    expect(dataOf(await owner.api.get(grid), 200).columns[1]).toEqual(after);
    expect(dataOf(await owner.api.get(`${grid}/columns/length`), 200)).toEqual(after);
    expect(await read()).toEqual([
      { sku: 'a', length: 1 },
      { sku: 'b', length: 2 },
    ]);
  });

  it('is found by its previous key in every way to read', async () => {
    await rename();
    const { api } = owner;
    expect(await read('&filter={"size":2}')).toEqual([{ code: 'b', length: 2 }]);
    expect(await read('&sort=-size')).toEqual([
      { code: 'b', length: 2 },
      { code: 'a', length: 1 },
    ]);
    const query = { filter: { size: { $gt: 1 } }, fields: 'code' };
    const queried = dataOf(await api.post(`${grid}/rows/query`, query), 200);
    expect(queried).toMatchObject([{ values: { code: 'b' } }]);
    const csv = await api.get(`${grid}/rows/export?format=csv&fields=code&filter={"size":1}`);
    expect(csv.text.trim().split(/\r?\n/)).toEqual(['code', 'a']);
    const view = await newView(api, grid, { filter: { size: 1 }, sort: '-size' });
    expect(await read(`&view=${view}`)).toEqual([{ code: 'a', length: 1 }]);
    expect(dataOf(await api.get(`${grid}/columns/size`), 200).key).toBe('length');
  });

  it('is returned under its previous key if fields names that', async () => {
    await rename();
    expect(await read('&fields=size,code')).toEqual([
      { size: 1, code: 'a' },
      { size: 2, code: 'b' },
    ]);
  });

  it('is returned under its previous key in aggregates that name that', async () => {
    await rename();
    const body = {
      groupBy: [{ column: 'sku' }],
      aggregates: [{ function: 'sum', column: 'size' }],
      sort: '-sku',
    };
    const path = `${grid}/rows/aggregate`;
    expect(dataOf(await owner.api.post(path, body), 200)).toEqual([
      { group: { sku: 'b' }, values: { sum_size: '2' } },
      { group: { sku: 'a' }, values: { sum_size: '1' } },
    ]);
    const twice = { groupBy: [{ column: 'sku' }, { column: 'code' }] };
    const response = await owner.api.post(path, twice);
    expectFailure(response, 'invalid_request', ['groupBy.1.column duplicate_column']);
  });

  it('is rejected in a list that names it by both keys', async () => {
    await rename();
    const { api } = owner;
    const upsert = { matchOn: ['sku', 'code'], rows: [{ values: { code: 'a' } }] };
    const put = await api.put(`${grid}/rows`, upsert);
    expectFailure(put, 'invalid_request', ['matchOn.1 duplicate_column']);
    const columns = [{ key: 'code' }, { key: 'sku' }];
    const view = await api.post(`${grid}/views`, { name: 'Twice', columns });
    expectFailure(view, 'invalid_request', ['columns.1.key duplicate_column']);
  });

  it('is written by its previous key in every way to write', async () => {
    await rename();
    const { api } = owner;
    const created = dataOf(await api.post(`${grid}/rows`, { values: { sku: 'c', size: 3 } }), 201);
    expect(created.values).toEqual({ code: 'c', length: 3 });
    const updated = dataOf(await api.patch(`${grid}/rows/1`, { values: { size: 10 } }), 200);
    expect(updated.values).toEqual({ code: 'a', length: 10 });
    dataOf(await api.put(`${grid}/rows/2`, { values: { sku: 'b', length: 20 } }), 200);
    const operations = [
      { op: 'upsert', matchOn: ['sku'], values: { sku: 'c', size: 30 } },
      { op: 'create', values: { sku: 'd' } },
    ];
    dataOf(await api.post(`${grid}/rows/batch`, { mode: 'atomic', operations }), 200);
    const upsert = { matchOn: ['code'], rows: [{ values: { sku: 'd', size: 40 } }] };
    dataOf(await api.put(`${grid}/rows`, upsert), 200);
    expect(await read()).toEqual([
      { code: 'a', length: 10 },
      { code: 'b', length: 20 },
      { code: 'c', length: 30 },
      { code: 'd', length: 40 },
    ]);
  });

  it('is imported by its previous key from CSV and NDJSON', async () => {
    await rename();
    await importCsv(owner.api, grid, 'sku,size\na,10\nc,3\n', '?mode=upsert&matchOn=sku');
    const lines = '{"sku":"b","length":20}\n{"code":"d","size":4}\n';
    await importNdjson(owner.api, grid, lines, '?mode=upsert&matchOn=sku');
    await importNdjson(owner.api, grid, '{"sku":"e","size":5}\n');
    expect(await read()).toEqual([
      { code: 'a', length: 10 },
      { code: 'b', length: 20 },
      { code: 'c', length: 3 },
      { code: 'd', length: 4 },
      { code: 'e', length: 5 },
    ]);
  });

  it('gets no default value where a row names it by its previous key', async () => {
    await owner.api.patch(`${grid}/columns/size`, { key: 'length', defaultValue: 7 });
    dataOf(await owner.api.post(`${grid}/rows`, { values: { sku: 'c', size: null } }), 201);
    await importNdjson(owner.api, grid, '{"sku":"d","size":null}\n{"sku":"e"}\n');
    expect((await read()).slice(2)).toEqual([{ sku: 'c' }, { sku: 'd' }, { sku: 'e', length: 7 }]);
  });

  it('cannot have a value under both keys', async () => {
    await rename();
    const values = { code: 'c', size: 3, length: 3 };
    expectFailure(await owner.api.post(`${grid}/rows`, { values }), 'invalid_request', [
      'values.size duplicate_column',
    ]);
    const lines = `${JSON.stringify(values)}\n`;
    const failed = await importNdjson(owner.api, grid, lines);
    expectFailure(failed, 'invalid_request', ['lines.1.size duplicate_column']);
    expect(await read()).toHaveLength(2);
  });

  it('still needs a value if it is required', async () => {
    await rename();
    const { api } = owner;
    expectFailure(await api.post(`${grid}/rows`, { values: { sku: null } }), 'invalid_request', [
      'values.sku required',
    ]);
    expectFailure(await api.post(`${grid}/rows`, { values: {} }), 'invalid_request', [
      'values.code required',
    ]);
  });

  it('gets its key back, and the one in between becomes a previous key', async () => {
    await rename();
    const back = dataOf(await owner.api.patch(`${grid}/columns/length`, { key: 'size' }), 200);
    expect(back).toMatchObject({ key: 'size', previousKeys: [{ key: 'length' }] });
    expect(await read('&filter={"length":1}')).toEqual([{ code: 'a', size: 1 }]);
  });

  it('changes its key only with a current ETag, if one is sent', async () => {
    const { headers: read } = await owner.api.get(`${grid}/columns/size`);
    const headers = { 'If-Match': read.get('etag') ?? '' };
    dataOf(await owner.api.patch(`${grid}/columns/size`, { key: 'length' }, headers), 200);
    const again = await owner.api.patch(`${grid}/columns/size`, { key: 'width' }, headers);
    expect(again.status).toBe(412);
  });

  it('keeps its previous values in the history under its present key', async () => {
    await owner.api.patch(grid, { history: true });
    await owner.api.patch(`${grid}/rows/1`, { values: { size: 5 } });
    await rename();
    const { text } = await owner.api.get(`${grid}/rows/1/history`);
    expect(text).toContain('"length": 1');
    expect(text).not.toContain('"size"');
  });

  it('is recorded in the audit log of the account', async () => {
    await rename();
    const { rows } = await app.sql.query(
      `SELECT details FROM audit_events WHERE account_id = $1 AND action = 'column_key_changed'
       ORDER BY id`,
      [owner.accountId],
    );
    expect(rows.slice(-2)).toEqual([
      { details: { column: 'sku', to: 'code' } },
      { details: { column: 'size', to: 'length' } },
    ]);
  });
});

describe('a previous key', () => {
  it('cannot become the key of another column until it is released', async () => {
    await rename();
    const { api } = owner;
    const column = { key: 'size', type: 'text' };
    const taken = await api.post(`${grid}/columns`, column);
    expectFailure(taken, 'conflict', ['key duplicate']);
    expectFailure(await api.patch(`${grid}/columns/code`, { key: 'size' }), 'conflict', [
      'key duplicate',
    ]);
    const released = await api.patch(`${grid}/columns/length`, { releaseKeys: ['size'] });
    expect(dataOf(released, 200)).not.toHaveProperty('previousKeys');
    expectFailure(await api.get(`${grid}/rows?filter={"size":1}`), 'invalid_request', [
      'filter.size unknown_column',
    ]);
    expect((await api.get(`${grid}/columns/size`)).status).toBe(404);
    dataOf(await api.post(`${grid}/columns`, column), 201);
    dataOf(await api.patch(`${grid}/rows/1`, { values: { size: 'new' } }), 200);
    expect(await read('&fields=size,length')).toEqual([{ size: 'new', length: 1 }, { length: 2 }]);
  });

  it('is rejected once it has expired, and is then free', async () => {
    await rename();
    await expire('length', 'size');
    // Any change of the columns makes the service read them again.
    dataOf(await owner.api.patch(`${grid}/columns/code`, { title: 'Code' }), 200);
    expectFailure(await owner.api.get(`${grid}/rows?sort=size`), 'invalid_request', [
      'sort unknown_column',
    ]);
    expectFailure(
      await owner.api.post(`${grid}/rows`, { values: { code: 'c', size: 1 } }),
      'invalid_request',
      ['values.size unknown_column'],
    );
    expect((await owner.api.get(`${grid}/columns/size`)).status).toBe(404);
    dataOf(await owner.api.post(`${grid}/columns`, { key: 'size', type: 'text' }), 201);
  });

  it('does not count for its old column once another column has it', async () => {
    const { api } = owner;
    await rename();
    await expire('code', 'sku');
    dataOf(await api.post(`${grid}/columns`, { key: 'sku', type: 'text' }), 201);
    const path = `${grid}/rows`;
    const missing = await api.post(path, { values: { sku: 'x' } });
    expectFailure(missing, 'invalid_request', ['values.code required']);
    const imported = await importNdjson(api, grid, '{"sku":"x"}');
    expectFailure(imported, 'invalid_request', ['lines.1.code required']);
    const both = { values: { sku: 'x', code: 'c' } };
    expect(dataOf(await api.post(path, both), 201).values).toEqual({ sku: 'x', code: 'c' });
  });

  it('is found although a later column had it before and it expired there', async () => {
    const { api } = owner;
    const columns = `${grid}/columns`;
    await rename();
    await expire('length', 'size');
    dataOf(await api.post(columns, { key: 'size', type: 'text' }), 201);
    dataOf(await api.patch(`${columns}/size`, { key: 'area', position: 0 }), 200);
    await expire('length', 'size');
    dataOf(await api.patch(`${columns}/code`, { title: 'Code' }), 200);
    const created = await api.post(`${grid}/rows`, { values: { code: 'c', size: 'L' } });
    expect(dataOf(created, 201).values).toEqual({ code: 'c', area: 'L' });
    expect(await read('&filter={"size":"L"}')).toEqual([{ code: 'c', area: 'L' }]);
  });

  it('is one of five at most', async () => {
    for (const key of ['s1', 's2', 's3', 's4', 's5']) {
      dataOf(await owner.api.patch(`${grid}/columns/size`, { key }), 200);
    }
    expectFailure(await owner.api.patch(`${grid}/columns/size`, { key: 's6' }), 'invalid_request', [
      'key too_many',
    ]);
    const body = { key: 's6', releaseKeys: ['s1'] };
    dataOf(await owner.api.patch(`${grid}/columns/size`, body), 200);
    expect(await read('&filter={"s3":1}')).toEqual([{ sku: 'a', s6: 1 }]);
  });

  it('stays if others are released, and can be released twice', async () => {
    await rename();
    const release = (releaseKeys: string[]): Promise<ApiResponse> =>
      owner.api.patch(`${grid}/columns/length`, { releaseKeys });
    expect(dataOf(await release(['other']), 200).previousKeys).toHaveLength(1);
    for (const keys of [['size'], ['size']]) {
      expect(dataOf(await release(keys), 200)).not.toHaveProperty('previousKeys');
    }
  });

  it.each([
    [[], 'releaseKeys invalid_format'],
    [['size', 'size'], 'releaseKeys invalid_format'],
    ['size', 'releaseKeys invalid_format'],
  ])('is not released by %j', async (releaseKeys, detail) => {
    await rename();
    const failed = await owner.api.patch(`${grid}/columns/length`, { releaseKeys });
    expectFailure(failed, 'invalid_request', [detail]);
  });

  it('does not let a removed column back under a key that is taken', async () => {
    dataOf(await owner.api.post(`${grid}/columns`, { key: 'width', type: 'text' }), 201);
    await owner.api.delete(`${grid}/columns/width`);
    dataOf(await owner.api.patch(`${grid}/columns/size`, { key: 'width' }), 200);
    dataOf(await owner.api.patch(`${grid}/columns/width`, { key: 'length' }), 200);
    const [trashed] = dataOf(await owner.api.get(`${grid}/trash/columns`), 200);
    const restore = `${grid}/trash/columns/restore`;
    expectFailure(await owner.api.post(restore, { id: trashed.id }), 'conflict', ['key duplicate']);
    dataOf(await owner.api.post(restore, { id: trashed.id, key: 'width2' }), 200);
  });
});

describe('the previous keys of a column that is removed and restored', () => {
  const restored = async (body: object = {}): Promise<Record<string, unknown>> => {
    const [trashed] = dataOf(await owner.api.get(`${grid}/trash/columns`), 200);
    return dataOf(
      await owner.api.post(`${grid}/trash/columns/restore`, { id: trashed.id, ...body }),
      200,
    );
  };

  beforeEach(async () => {
    for (const key of ['width', 'length']) {
      dataOf(await owner.api.patch(`${grid}/columns/size`, { key }), 200);
    }
    await owner.api.delete(`${grid}/columns/length`);
  });

  it('are accepted again, as long as before', async () => {
    expectFailure(await owner.api.get(`${grid}/rows?sort=size`), 'invalid_request', [
      'sort unknown_column',
    ]);
    const column = await restored();
    expect(column['previousKeys']).toMatchObject([{ key: 'size' }, { key: 'width' }]);
    expect(await read('&filter={"size":1}')).toEqual([{ sku: 'a', length: 1 }]);
    const values = { width: 3 };
    expect(dataOf(await owner.api.patch(`${grid}/rows/1`, { values }), 200).values).toEqual({
      sku: 'a',
      length: 3,
    });
  });

  it('leave out those that have expired, and those that another column has or had', async () => {
    await expire('length', 'size');
    expect(await restored()).not.toHaveProperty('previousKeys');
    dataOf(await owner.api.patch(`${grid}/columns/length`, { key: 'size' }), 200);
    dataOf(await owner.api.patch(`${grid}/columns/size`, { key: 'depth' }), 200);
    await owner.api.delete(`${grid}/columns/depth`);
    dataOf(await owner.api.post(`${grid}/columns`, { key: 'length', type: 'text' }), 201);
    dataOf(await owner.api.post(`${grid}/columns`, { key: 'size', type: 'text' }), 201);
    dataOf(await owner.api.patch(`${grid}/columns/size`, { key: 'area' }), 200);
    expect(await restored()).not.toHaveProperty('previousKeys');
    dataOf(await owner.api.post(`${grid}/rows`, { values: { sku: 'c', size: 'L' } }), 201);
    expect(await read('&filter={"size":"L"}')).toEqual([{ sku: 'c', area: 'L' }]);
  });

  it('leave out the key under which it is restored', async () => {
    const column = await restored({ key: 'size' });
    expect(column['previousKeys']).toMatchObject([{ key: 'width' }]);
    expect(await read('&filter={"width":1}')).toEqual([{ sku: 'a', size: 1 }]);
  });
});

describe('a change of a key', () => {
  it('returns 409 for the key of another column, and changes nothing', async () => {
    const failed = await owner.api.patch(`${grid}/columns/size`, { key: 'sku', title: 'No' });
    expectFailure(failed, 'conflict', ['key duplicate']);
    expect(dataOf(await owner.api.get(`${grid}/columns/size`), 200).title).toBe('size');
  });

  it.each(['Size', '', '_id', 'a b', 7])('returns 400 for %j', async (key) => {
    const failed = await owner.api.patch(`${grid}/columns/size`, { key });
    expect(failed.status).toBe(400);
    expect(failed.body.error.details[0].field).toBe('key');
  });

  it('returns 404 to another account', async () => {
    const failed = await stranger.api.patch(`${grid}/columns/size`, { key: 'length' });
    expectFailure(failed, 'not_found');
  });

  it('lets one of several clients have a key', async () => {
    const changes = ['sku', 'size'].map((key) =>
      owner.api.patch(`${grid}/columns/${key}`, { key: 'same' }),
    );
    const statuses = (await Promise.all(changes)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409]);
  });

  it('loses no row that is written at the same time', async () => {
    const writes = Array.from({ length: 40 }, (_, index) =>
      owner.api.post(`${grid}/rows`, { values: { sku: `w${String(index)}`, size: index } }),
    );
    await rename();
    const written = (await Promise.all(writes)).filter(({ status }) => status === 201);
    expect(written).toHaveLength(40);
    expect(await read('&filter={"length":{"$gte":0}}')).toHaveLength(42);
  });
});
