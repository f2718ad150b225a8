import { FileBody, type Answer, type ApiClient, type Json } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { problemsOf } from '../../support/verify';

const MOST = 20;
const SETTINGS = { QUOTA_ROWS: String(MOST), IMPORT_BATCH_ROWS: '5' };
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

const sorted = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status).sort();

const times = (status: number, count: number): number[] => Array(count).fill(status) as number[];

describe('a quota of rows', () => {
  it('is exact where single rows come at once, on two instances and in two datagrids', async () => {
    const clients = [api, replica.api(owner.key)];
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        (clients[n % 2] ?? api).post(`${n % 4 < 2 ? grid : other}/rows`, { values: { n } }),
      ),
    );
    expect(sorted(answers)).toEqual([...times(201, MOST), ...times(403, 40)]);
    expect(await rowsOf(grid, other)).toBe(MOST);
    for (const answer of answers) {
      if (answer.status === 403) expectFailure(answer, 'quota_exceeded');
    }
  });

  it('is exact where many come at once, each call all or nothing', async () => {
    const clients = [api, replica.api(owner.key)];
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        (clients[n % 2] ?? api).post(`${n % 4 < 2 ? grid : other}/rows`, {
          rows: numbered(n * 10, 6),
        }),
      ),
    );
    expect(sorted(answers)).toEqual([...times(201, 3), ...times(403, 7)]);
    expect(await rowsOf(grid, other)).toBe(18);
  });

  it('is exact where partial batches come at once, each of which fills what is left', async () => {
    const clients = [api, replica.api(owner.key)];
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => {
        const operations = numbered(n * 10, 6).map((row) => ({ op: 'create', ...row }));
        const path = n % 4 < 2 ? grid : other;
        return (clients[n % 2] ?? api).post(`${path}/rows/batch`, { mode: 'partial', operations });
      }),
    );
    expect(sorted(answers)).toEqual(times(200, 12));
    expect(await rowsOf(grid, other)).toBe(MOST);
  });

  it('counts all datagrids of the account, and those of no other', async () => {
    await fill(grid, 15);
    await fill(other, 5);
    expectFailure(await api.post(`${grid}/rows`, { values: { n: 99 } }), 'quota_exceeded');
    const stranger = (await app.newAccount()).api;
    const strange = await newDatagrid(stranger, COLUMNS);
    dataOf(await stranger.post(`${strange}/rows`, { values: { n: 1 } }), 201);
  });

  it('lets change and delete, and what was deleted makes room', async () => {
    await fill(grid, MOST);
    dataOf(await api.patch(`${grid}/rows/1`, { values: { n: 100 } }), 200);
    dataOf(await api.put(`${grid}/rows/2`, { values: { n: 200 } }), 200);
    expect((await api.delete(`${grid}/rows/3`)).status).toBe(204);
    dataOf(await api.post(`${grid}/rows`, { values: { n: 3 } }), 201);
    expectFailure(await api.post(`${grid}/rows`, { values: { n: 300 } }), 'quota_exceeded');
    // A value that is taken is told before.
    expectFailure(await api.post(`${grid}/rows`, { values: { n: 4 } }), 'conflict', [
      'values.n duplicate',
    ]);
  });

  it('fails an atomic batch as a whole, and of a partial one what goes beyond', async () => {
    await fill(grid, MOST - 2);
    const creates = [101, 102, 103].map((n) => ({ op: 'create', values: { n } }));
    const batch = (mode: string, operations: readonly object[]): Promise<Answer> =>
      api.post(`${grid}/rows/batch`, { mode, operations });
    expectFailure(await batch('atomic', creates), 'quota_exceeded');
    const mixed = [{ op: 'update', id: 1, values: { n: 77 } }, ...creates];
    expectFailure(await batch('atomic', mixed), 'quota_exceeded');
    expect(await rowsOf(grid)).toBe(MOST - 2);
    // What goes makes room for what follows.
    const { results } = dataOf(await batch('partial', [...creates, { op: 'delete', id: 1 }]), 200);
    expect((results as Json[]).map(({ status }) => status)).toEqual([
      'created',
      'created',
      'error',
      'deleted',
    ]);
    expect(JSON.stringify(results[2])).toContain('quota_exceeded');
    dataOf(await batch('atomic', [{ op: 'delete', id: 2 }, creates[2] ?? {}]), 200);
    expect(await rowsOf(grid)).toBe(MOST - 1);
  });

  it('holds for a batch that only creates where no column is unique', async () => {
    const plain = await newDatagrid(api, []);
    await fill(grid, MOST - 1);
    const operations = [
      { op: 'create', values: {} },
      { op: 'create', values: {} },
    ];
    const atomic = await api.post(`${plain}/rows/batch`, { mode: 'atomic', operations });
    expectFailure(atomic, 'quota_exceeded');
    const partial = await api.post(`${plain}/rows/batch`, { mode: 'partial', operations });
    expect(JSON.stringify(dataOf(partial, 200).results[1])).toContain('quota_exceeded');
    expect(await rowsOf(grid, plain)).toBe(MOST);
  });

  it('fails an upsert that adds, and none that changes', async () => {
    await fill(grid, MOST);
    const upsert = (...rows: object[]): Promise<Answer> =>
      api.put(`${grid}/rows`, { matchOn: ['n'], rows });
    dataOf(await upsert(...numbered(1, 2)), 200);
    expectFailure(await upsert(...numbered(MOST, 2)), 'quota_exceeded');
    expect(await rowsOf(grid)).toBe(MOST);
  });

  it.each(['mode=insert', 'mode=upsert&matchOn=n'])(
    'ends an import at the step that would go beyond: %s',
    async (mode) => {
      await fill(other, 8);
      const lines = Array.from({ length: 18 }, (_, n) => `{"n":${String(n + 1)}}\n`).join('');
      const file = new FileBody('application/x-ndjson', lines);
      const answer = await api.post(`${grid}/rows/import?${mode}`, file);
      expectFailure(answer, 'quota_exceeded');
      const report = dataOf(
        await api.get((answer.headers.get('location') ?? '').replace('/api/v1/public', '')),
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

  it('holds for rows that come back from the trash', async () => {
    await fill(grid, 12);
    expect((await api.delete(grid)).status).toBe(204);
    await fill(other, 9);
    const restore = (): Promise<Answer> =>
      api.post(`/trash/${grid.slice('/datagrids/'.length)}/restore`);
    expectFailure(await restore(), 'quota_exceeded');
    expect((await api.get(grid)).status).toBe(404);
    expect((await api.delete(`${other}/rows/1`)).status).toBe(204);
    dataOf(await restore(), 200);
    expect(await rowsOf(grid, other)).toBe(MOST);
  });

  it('lets an account that has too much exchange, and not grow', async () => {
    await fill(grid, MOST);
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
