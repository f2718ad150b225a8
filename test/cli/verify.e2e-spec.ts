import { NO_ID, newDatagrid } from '../support/fixture';
import { TestApp, type Member } from '../support/test-app';
import { admin, adminJson } from './admin';

interface Damage {
  readonly name: string;
  /** Done to datagrid $1, behind the service's back. */
  readonly sql: readonly string[];
  /** What `verify` says of it. */
  readonly found: readonly object[];
  readonly canBeRepaired?: false;
}

/** Of each datagrid: 700 rows, of which 10, 300 and 301 are deleted; `code` is unique. */
const LAST = 700;
const unique = { columnId: 1, column: 'code', values: 1 };
const index = { columnId: 1, column: 'code', entries: 1 };

const DAMAGES: readonly Damage[] = [
  {
    name: 'a wrong row_count',
    sql: ['UPDATE datagrid_counters SET row_count = 5 WHERE datagrid_id = $1'],
    found: [{ kind: 'row_count', stored: 5, actual: LAST - 3 }],
  },
  {
    name: 'a last_row_id that would hand out ids again',
    sql: ['UPDATE datagrid_counters SET last_row_id = 9 WHERE datagrid_id = $1'],
    found: [{ kind: 'last_row_id', stored: 9, actual: LAST }],
  },
  {
    name: 'a revision behind a row',
    sql: ['UPDATE rows SET revision = 1000 WHERE datagrid_id = $1 AND id = 1'],
    found: [{ kind: 'revision', actual: 1000 }],
  },
  {
    name: 'a missing counter',
    sql: ['DELETE FROM datagrid_counters WHERE datagrid_id = $1'],
    found: [{ kind: 'counter_missing', rows: LAST - 3 }],
  },
  {
    name: 'a row that went away without a trace',
    sql: ['DELETE FROM rows WHERE datagrid_id = $1 AND id = 2'],
    found: [
      { kind: 'row_count', stored: LAST - 3, actual: LAST - 4 },
      { kind: 'row_gaps', entries: 3 },
      { kind: 'unique_stale', ...unique, firstRowId: 2 },
      { kind: 'index_stale', ...index, firstRowId: 2 },
    ],
  },
  {
    name: 'a missing, a wrong and a needless gap, one on each level',
    sql: [
      'DELETE FROM row_gaps WHERE datagrid_id = $1 AND level = 0 AND block = 0',
      'UPDATE row_gaps SET deleted = 9 WHERE datagrid_id = $1 AND level = 1',
      'INSERT INTO row_gaps VALUES ($1, 2, 7, 1)',
    ],
    found: [{ kind: 'row_gaps', entries: 3 }],
  },
  {
    name: 'a value that is not claimed',
    sql: ['DELETE FROM unique_values WHERE datagrid_id = $1 AND row_id = 3'],
    found: [{ kind: 'unique_missing', ...unique, firstRowId: 3 }],
  },
  {
    name: 'a value that is claimed and not held',
    sql: [`INSERT INTO unique_values VALUES ($1, 1, '\\x00112233445566778899aabbccddeeff', 4)`],
    found: [{ kind: 'unique_stale', ...unique, firstRowId: 4 }],
  },
  {
    name: 'a claim that points at another row',
    sql: ['UPDATE unique_values SET row_id = 6 WHERE datagrid_id = $1 AND row_id = 5'],
    found: [{ kind: 'unique_wrong_row', ...unique, firstRowId: 5 }],
  },
  {
    name: 'a value that two rows hold',
    sql: [
      `UPDATE rows SET "values" = '{"code": "C8"}' WHERE datagrid_id = $1 AND id = 7`,
      'DELETE FROM unique_values WHERE datagrid_id = $1 AND row_id = 7',
      "UPDATE text_index_entries SET value = 'C8' WHERE datagrid_id = $1 AND row_id = 7",
    ],
    found: [{ kind: 'unique_duplicate', ...unique, firstRowId: 7 }],
    canBeRepaired: false,
  },
  {
    name: 'a missing entry of an index',
    sql: ['DELETE FROM text_index_entries WHERE datagrid_id = $1 AND row_id = 20'],
    found: [{ kind: 'index_missing', ...index, firstRowId: 20 }],
  },
  {
    name: 'entries of an index with other values, and with none',
    sql: [
      "UPDATE text_index_entries SET value = 'C' WHERE datagrid_id = $1 AND row_id = 22",
      "UPDATE text_index_entries SET value = '', is_empty = true WHERE datagrid_id = $1 AND row_id = 21",
    ],
    found: [{ kind: 'index_wrong', ...index, entries: 2, firstRowId: 21 }],
  },
  {
    name: 'entries too much in an index, of a row and of none',
    sql: [
      "INSERT INTO text_index_entries VALUES ($1, 1, false, 'C20', 23), ($1, 1, false, 'C10', 10)",
    ],
    found: [{ kind: 'index_stale', ...index, entries: 2, firstRowId: 10 }],
  },
  {
    name: 'entries of columns without an index, or of another type, or that are not there',
    sql: [
      `INSERT INTO datagrid_columns (datagrid_id, id, key, slot, title, type)
       VALUES ($1, 2, 'note', 'note', 'Note', 'text')`,
      "INSERT INTO text_index_entries VALUES ($1, 2, false, 'x', 4), ($1, 2, true, '', 5)",
      'INSERT INTO number_index_entries VALUES ($1, 1, false, 6, 6), ($1, 77, false, 7, 7)',
    ],
    found: [
      { kind: 'index_stale', columnId: 2, column: 'note', entries: 2, firstRowId: 4 },
      { kind: 'index_stale', ...index, firstRowId: 6 },
      { kind: 'index_stale', columnId: 77, column: null, entries: 1, firstRowId: 7 },
    ],
  },
];

interface Found {
  readonly datagridId: string;
  readonly repaired: boolean;
}

// Each program takes its time to start.
jest.setTimeout(120_000);

/** A service with a database of its own, and a filled datagrid in it for each damage, by its name. */
interface Place {
  readonly app: TestApp;
  readonly settings: { readonly DATABASE_URL: string };
  readonly owner: Member;
  readonly grids: ReadonlyMap<string, string>;
}

async function newPlace(): Promise<Place> {
  const app = await TestApp.start();
  const owner = await app.newAccount();
  const grids = new Map<string, string>();
  for (const { name } of DAMAGES) grids.set(name, await newFilledDatagrid(owner));
  return { app, settings: { DATABASE_URL: app.database.url }, owner, grids };
}

async function newFilledDatagrid({ api }: Member): Promise<string> {
  const path = await newDatagrid(api, [{ key: 'code', type: 'text', unique: true }]);
  const rows = Array.from({ length: LAST }, (_, i) => ({ values: { code: `C${String(i + 1)}` } }));
  expect((await api.post(`${path}/rows`, { rows })).status).toBe(201);
  for (const id of [10, 300, 301]) await api.delete(`${path}/rows/${String(id)}`);
  return path.replace('/datagrids/', '');
}

async function verify({ settings }: Place, ...args: string[]): Promise<Verified> {
  const { code, stdout } = await admin(settings, 'verify', '--json', ...args);
  return { code, report: JSON.parse(stdout) as Report };
}

interface Verified {
  readonly code: number | null;
  readonly report: Report;
}

interface Report {
  readonly ok: boolean;
  readonly datagrids: number;
  readonly problems: readonly Found[];
  readonly repaired: number;
}

const of = (report: Report, datagridId = ''): readonly Found[] =>
  report.problems.filter((problem) => problem.datagridId === datagridId);

describe('what the service has written', () => {
  let place: Place;

  beforeAll(async () => {
    place = await newPlace();
  });

  afterAll(() => place.app.close());

  it('is found to be right', async () => {
    const report = await adminJson(place.settings, 'verify');
    expect(report).toEqual({ ok: true, datagrids: DAMAGES.length, problems: [], repaired: 0 });
  });

  it('is found to be right beside running writers', async () => {
    const { api } = place.owner;
    const paths = [...place.grids.values()].slice(0, 3).map((id) => `/datagrids/${id}/rows`);
    let isRunning = true;
    const write = async (path: string): Promise<number> => {
      let written = 0;
      for (; isRunning; written += 1) {
        const values = { code: `busy ${String(written)}` };
        const { body } = await api.post(path, { values });
        await api.patch(`${path}/${body.data.id}`, { values: { code: `${values.code}!` } });
        await api.delete(`${path}/${body.data.id}`);
      }
      return written;
    };
    const writers = paths.map(write);
    const reports = [await verify(place), await verify(place, '--repair')];
    isRunning = false;
    expect(Math.min(...(await Promise.all(writers)))).toBeGreaterThan(0);
    for (const { code, report } of reports) expect([code, report.problems]).toEqual([0, []]);
  });
});

describe('damage', () => {
  let place: Place;
  let found: Report;
  let byRepair: Report;
  let after: Report;
  let orphans: readonly object[];
  const codes: (number | null)[] = [];

  beforeAll(async () => {
    place = await newPlace();
    const { sql } = place.app;
    for (const damage of DAMAGES) {
      for (const statement of damage.sql) {
        await sql.query(statement, [place.grids.get(damage.name)]);
      }
    }
    await sql.query("INSERT INTO rows VALUES ($1, 1, '{}', 1, now(), now())", [NO_ID]);
    const results = [await verify(place), await verify(place, '--repair'), await verify(place)];
    codes.push(...results.map(({ code }) => code));
    [found, byRepair, after] = results.map(({ report }) => report) as [Report, Report, Report];
    orphans = (await sql.query('SELECT id FROM rows WHERE datagrid_id = $1', [NO_ID])).rows;
  });

  afterAll(() => place.app.close());

  describe.each(DAMAGES)('$name', ({ name, found: expected, canBeRepaired = true }) => {
    it('is found', () => {
      const problems = of(found, place.grids.get(name));
      expect(problems).toMatchObject(expected);
      expect(problems.every(({ repaired }) => !repaired)).toBe(true);
    });

    it(canBeRepaired ? 'is repaired' : 'is left, and reported', () => {
      const problems = of(byRepair, place.grids.get(name));
      expect(problems.map(({ repaired }) => repaired)).toEqual(expected.map(() => canBeRepaired));
      expect(of(after, place.grids.get(name))).toHaveLength(canBeRepaired ? 0 : expected.length);
    });

    if (canBeRepaired) {
      it('leaves the datagrid working: pages, totals, finding, unique values and new ids', async () => {
        await expectWorking(place, name);
      });
    }
  });

  it('of rows without a datagrid is reported, and they are left', () => {
    const orphan = { datagridId: NO_ID, kind: 'orphan', table: 'rows', repaired: false };
    for (const report of [found, byRepair, after]) {
      expect(of(report, NO_ID)).toEqual([{ ...orphan, message: expect.any(String) }]);
    }
    expect(orphans).toEqual([{ id: '1' }]);
  });

  it('is counted, and tells by the exit code whether any is left', () => {
    const repairable = DAMAGES.filter(({ canBeRepaired = true }) => canBeRepaired);
    const repaired = repairable.flatMap((damage) => damage.found).length;
    expect(found).toMatchObject({ ok: false, datagrids: DAMAGES.length, repaired: 0 });
    expect(byRepair).toMatchObject({ ok: false, repaired });
    expect(after).toMatchObject({ ok: false, repaired: 0 });
    expect(codes).toEqual([1, 1, 1]);
  });

  it('that is repaired to the last gives exit code 0', async () => {
    const { app, owner, grids } = place;
    await app.sql.query('DELETE FROM rows WHERE datagrid_id = $1', [NO_ID]);
    const twice = grids.get('a value that two rows hold') ?? '';
    const path = `/datagrids/${twice}/rows`;
    expect((await owner.api.patch(`${path}/7`, { values: { code: 'C7' } })).status).toBe(200);
    await app.sql.query('UPDATE datagrid_counters SET row_count = 0 WHERE datagrid_id = $1', [
      twice,
    ]);
    expect((await verify(place)).code).toBe(1);
    expect((await verify(place, '--repair')).code).toBe(0);
    expect(await verify(place)).toMatchObject({ code: 0, report: { ok: true, problems: [] } });
  });
});

async function expectWorking({ app, owner, grids }: Place, name: string): Promise<void> {
  const datagridId = grids.get(name) ?? '';
  const path = `/datagrids/${datagridId}/rows`;
  const stored = await app.sql.query<{ id: string }>(
    'SELECT id FROM rows WHERE datagrid_id = $1 ORDER BY id',
    [datagridId],
  );
  const ids = stored.rows.map(({ id }) => Number(id));
  const pages = await Promise.all(
    [1, 2, 3, 4].map((page) => owner.api.get(`${path}?limit=200&page=${String(page)}`)),
  );
  const listed = pages.flatMap(({ body }) => body.data as { id: number }[]).map(({ id }) => id);
  expect(listed).toEqual(ids);
  expect(pages[0]?.body.meta.total).toBe(ids.length);

  const byIndex = `${path}?filter={"code":{"$gte":"C"}}&limit=200`;
  expect((await owner.api.get(byIndex)).body.meta.total).toBe(ids.length);
  const found = await owner.api.get(`${path}?filter={"code":{"$in":["C20","C21","C22"]}}`);
  expect((found.body.data as { id: number }[]).map(({ id }) => id)).toEqual([20, 21, 22]);

  expect((await owner.api.post(path, { values: { code: 'C400' } })).status).toBe(409);
  const created = await owner.api.post(path, { values: { code: 'fresh' } });
  expect(created.body.data.id).toBe(LAST + 1);
}
