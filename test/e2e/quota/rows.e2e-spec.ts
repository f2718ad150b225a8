import { FileBody, type ApiResponse, type ApiClient, type Json } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { problemsOf } from '../../support/verify';

const QUOTA = 20;
const SETTINGS = { QUOTA_ROWS: String(QUOTA), IMPORT_BATCH_ROWS: '5' };
const COLUMNS = [{ key: 'n', type: 'integer', unique: true }];

let app: TestApp;
let replica: TestApp;
let owner: Member;
let api: ApiClient;
let grid: string;
let other: string;

beforeAll(async () => {
  app = await TestApp.start({ settings: SETTINGS });
  replica = await TestApp.start({ settings: SETTINGS, database: app.database });
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await replica.close();
  await app.close();
});

beforeEach(async () => {
  owner = await app.newAccount();
  ({ api } = owner);
  [grid, other] = [await newDatagrid(api, COLUMNS), await newDatagrid(api, COLUMNS)];
});

const numbered = (from: number, count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ values: { n: from + index } }));

const fill = async (path: string, count: number, from = 1): Promise<void> => {
  const { status } = await api.post(`${path}/rows`, { rows: numbered(from, count) });
  expect(status).toBe(201);
};

const rowsOf = async (...paths: string[]): Promise<number> => {
  const totals = await Promise.all(
    paths.map(async (path) => (await api.get(`${path}/rows?limit=1`)).body.meta.total as number),
  );
  return totals.reduce((sum, total) => sum + total, 0);
};

const sorted = (responses: readonly ApiResponse[]): number[] =>
  responses.map(({ status }) => status).sort();

const times = (status: number, count: number): number[] => Array(count).fill(status) as number[];

describe('a quota of rows', () => {
  it('is exact for concurrent single creates on two instances and in two datagrids', async () => {
    const clients = [api, replica.api(owner.key)];
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        (clients[n % 2] ?? api).post(`${n % 4 < 2 ? grid : other}/rows`, { values: { n } }),
      ),
    );
    expect(sorted(responses)).toEqual([...times(201, QUOTA), ...times(403, 40)]);
    expect(await rowsOf(grid, other)).toBe(QUOTA);
    for (const response of responses) {
      if (response.status === 403) expectFailure(response, 'quota_exceeded');
    }
  });

  it('is exact for concurrent creates of many rows, each all or nothing', async () => {
    const clients = [api, replica.api(owner.key)];
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        (clients[n % 2] ?? api).post(`${n % 4 < 2 ? grid : other}/rows`, {
          rows: numbered(n * 10, 6),
        }),
      ),
    );
    expect(sorted(responses)).toEqual([...times(201, 3), ...times(403, 7)]);
    expect(await rowsOf(grid, other)).toBe(18);
  });

  it('is exact for concurrent partial batches, each of which fills the remaining quota', async () => {
    const clients = [api, replica.api(owner.key)];
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, n) => {
        const operations = numbered(n * 10, 6).map((row) => ({ op: 'create', ...row }));
        const path = n % 4 < 2 ? grid : other;
        return (clients[n % 2] ?? api).post(`${path}/rows/batch`, { mode: 'partial', operations });
      }),
    );
    expect(sorted(responses)).toEqual(times(200, 12));
    expect(await rowsOf(grid, other)).toBe(QUOTA);
  });

  it('counts all datagrids of the account, and none of another account', async () => {
    await fill(grid, 15);
    await fill(other, 5);
    expectFailure(await api.post(`${grid}/rows`, { values: { n: 99 } }), 'quota_exceeded');
    const otherApi = (await app.newAccount()).api;
    const otherGrid = await newDatagrid(otherApi, COLUMNS);
    dataOf(await otherApi.post(`${otherGrid}/rows`, { values: { n: 1 } }), 201);
  });

  it('allows changes and deletions, and deletions make room', async () => {
    await fill(grid, QUOTA);
    dataOf(await api.patch(`${grid}/rows/1`, { values: { n: 100 } }), 200);
    dataOf(await api.put(`${grid}/rows/2`, { values: { n: 200 } }), 200);
    expect((await api.delete(`${grid}/rows/3`)).status).toBe(204);
    dataOf(await api.post(`${grid}/rows`, { values: { n: 3 } }), 201);
    expectFailure(await api.post(`${grid}/rows`, { values: { n: 300 } }), 'quota_exceeded');
    // A duplicate value is reported before the quota.
    expectFailure(await api.post(`${grid}/rows`, { values: { n: 4 } }), 'conflict', [
      'values.n duplicate',
    ]);
  });

  it('rejects an atomic batch as a whole, and the excess operations of a partial one', async () => {
    await fill(grid, QUOTA - 2);
    const creates = [101, 102, 103].map((n) => ({ op: 'create', values: { n } }));
    const batch = (mode: string, operations: readonly object[]): Promise<ApiResponse> =>
      api.post(`${grid}/rows/batch`, { mode, operations });
    expectFailure(await batch('atomic', creates), 'quota_exceeded');
    const mixed = [{ op: 'update', id: 1, values: { n: 77 } }, ...creates];
    expectFailure(await batch('atomic', mixed), 'quota_exceeded');
    expect(await rowsOf(grid)).toBe(QUOTA - 2);
    // A deletion makes room for later operations.
    const { results } = dataOf(await batch('partial', [...creates, { op: 'delete', id: 1 }]), 200);
    expect((results as Json[]).map(({ status }) => status)).toEqual([
      'created',
      'created',
      'error',
      'deleted',
    ]);
    expect(JSON.stringify(results[2])).toContain('quota_exceeded');
    dataOf(await batch('atomic', [{ op: 'delete', id: 2 }, creates[2] ?? {}]), 200);
    expect(await rowsOf(grid)).toBe(QUOTA - 1);
  });

  it('applies to a batch that only creates rows without unique columns', async () => {
    const plain = await newDatagrid(api, []);
    await fill(grid, QUOTA - 1);
    const operations = [
      { op: 'create', values: {} },
      { op: 'create', values: {} },
    ];
    const atomic = await api.post(`${plain}/rows/batch`, { mode: 'atomic', operations });
    expectFailure(atomic, 'quota_exceeded');
    const partial = await api.post(`${plain}/rows/batch`, { mode: 'partial', operations });
    expect(JSON.stringify(dataOf(partial, 200).results[1])).toContain('quota_exceeded');
    expect(await rowsOf(grid, plain)).toBe(QUOTA);
  });

  it('rejects an upsert that creates rows, and none that only updates', async () => {
    await fill(grid, QUOTA);
    const upsert = (...rows: object[]): Promise<ApiResponse> =>
      api.put(`${grid}/rows`, { matchOn: ['n'], rows });
    dataOf(await upsert(...numbered(1, 2)), 200);
    expectFailure(await upsert(...numbered(QUOTA, 2)), 'quota_exceeded');
    expect(await rowsOf(grid)).toBe(QUOTA);
  });

  it.each(['mode=insert', 'mode=upsert&matchOn=n'])(
    'ends an import before the batch that would exceed it: %s',
    async (mode) => {
      await fill(other, 8);
      const lines = Array.from({ length: 18 }, (_, n) => `{"n":${String(n + 1)}}\n`).join('');
      const file = new FileBody('application/x-ndjson', lines);
      const response = await api.post(`${grid}/rows/import?${mode}`, file);
      expectFailure(response, 'quota_exceeded');
      const report = dataOf(
        await api.get((response.headers.get('location') ?? '').replace('/api/v1/public', '')),
        200,
      );
      expect(report).toMatchObject({
        state: 'failed',
        created: 10,
        committedRows: 10,
        nextLine: 11,
      });
      expect(report.failure.code).toBe('quota_exceeded');
      expect(await rowsOf(grid, other)).toBe(18);
    },
  );

  it('applies to rows that are restored from the trash', async () => {
    await fill(grid, 12);
    expect((await api.delete(grid)).status).toBe(204);
    await fill(other, 9);
    const restore = (): Promise<ApiResponse> =>
      api.post(`/trash/${grid.slice('/datagrids/'.length)}/restore`);
    expectFailure(await restore(), 'quota_exceeded');
    expect((await api.get(grid)).status).toBe(404);
    expect((await api.delete(`${other}/rows/1`)).status).toBe(204);
    dataOf(await restore(), 200);
    expect(await rowsOf(grid, other)).toBe(QUOTA);
  });

  it('lets an account that exceeds it replace rows, but not add any', async () => {
    await fill(grid, QUOTA);
    const before = await TestApp.start({
      settings: { QUOTA_ROWS: '10' },
      database: app.database,
    });
    try {
      const lowered = before.api(owner.key);
      expectFailure(await lowered.post(`${grid}/rows`, { values: { n: 500 } }), 'quota_exceeded');
      const operations = [
        { op: 'delete', id: 1 },
        { op: 'create', values: { n: 500 } },
      ];
      dataOf(await lowered.post(`${grid}/rows/batch`, { mode: 'atomic', operations }), 200);
      const upsert = `${grid}/rows/import?mode=upsert&matchOn=n`;
      const lines = (n: number): FileBody => new FileBody('text/csv', `n\n500\n${String(n)}\n`);
      expect(dataOf(await lowered.post(upsert, lines(2)), 201)).toMatchObject({ unchanged: 2 });
      expectFailure(await lowered.post(upsert, lines(600)), 'quota_exceeded');
      expect((await lowered.delete(grid)).status).toBe(204);
    } finally {
      await before.close();
    }
  });
});
