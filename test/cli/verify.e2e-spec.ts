import { NO_ID, newDatagrid } from '../support/fixture';
import { TestApp, type Member } from '../support/test-app';
import { admin, adminProcess } from './admin';

interface Damage {
  readonly name: string;
  /** Statements that damage datagrid $1 directly in the database. */
  readonly sql: readonly string[];
  /** Problems that `verify` reports. */
  readonly found: readonly object[];
  readonly canBeRepaired?: false;
}

/** Each datagrid has 700 rows, of which 10, 300 and 301 are deleted. `code` is unique. */
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
    name: 'a last_row_id that would assign ids again',
    sql: ['UPDATE datagrid_counters SET last_row_id = 9 WHERE datagrid_id = $1'],
    found: [{ kind: 'last_row_id', stored: 9, actual: LAST }],
  },
  {
    name: 'a revision lower than that of a row',
    sql: ['UPDATE rows SET revision = 1000 WHERE datagrid_id = $1 AND id = 1'],
    found: [{ kind: 'revision', actual: 1000 }],
  },
  {
    name: 'a write without an entry in the change log',
    sql: ['DELETE FROM datagrid_changes WHERE datagrid_id = $1 AND revision = 2'],
    found: [{ kind: 'change_log', holes: 1, after: 1, before: 2 }],
  },
  {
    name: 'a last write without an entry in the change log',
    sql: ['UPDATE datagrid_counters SET revision = revision + 2 WHERE datagrid_id = $1'],
    found: [{ kind: 'change_log', holes: 1 }],
  },
  {
    name: 'a missing counter',
    sql: ['DELETE FROM datagrid_counters WHERE datagrid_id = $1'],
    found: [{ kind: 'counter_missing', rows: LAST - 3 }],
  },
  {
    name: 'a row that was deleted from the table of rows alone',
    sql: ['DELETE FROM rows WHERE datagrid_id = $1 AND id = 2'],
    found: [
      { kind: 'row_count', stored: LAST - 3, actual: LAST - 4 },
      { kind: 'row_gaps', entries: 3 },
      { kind: 'unique_stale', ...unique, firstRowId: 2 },
      { kind: 'index_stale', ...index, firstRowId: 2 },
    ],
  },
  {
    name: 'a missing, a wrong and a surplus gap, one on each level',
    sql: [
      'DELETE FROM row_gaps WHERE datagrid_id = $1 AND level = 0 AND block = 0',
      'UPDATE row_gaps SET deleted = 9 WHERE datagrid_id = $1 AND level = 1',
      'INSERT INTO row_gaps VALUES ($1, 2, 7, 1)',
    ],
    found: [{ kind: 'row_gaps', entries: 3 }],
  },
  {
    name: 'a unique value without its entry',
    sql: ['DELETE FROM unique_values WHERE datagrid_id = $1 AND row_id = 3'],
    found: [{ kind: 'unique_missing', ...unique, firstRowId: 3 }],
  },
  {
    name: 'an entry for a unique value that its row does not have',
    sql: [`INSERT INTO unique_values VALUES ($1, 1, '\\x00112233445566778899aabbccddeeff', 4)`],
    found: [{ kind: 'unique_stale', ...unique, firstRowId: 4 }],
  },
  {
    name: 'an entry for a unique value that refers to another row',
    sql: ['UPDATE unique_values SET row_id = 6 WHERE datagrid_id = $1 AND row_id = 5'],
    found: [{ kind: 'unique_wrong_row', ...unique, firstRowId: 5 }],
  },
  {
    name: 'a unique value of two rows',
    sql: [
      `UPDATE rows SET "values" = '{"code": "C8"}' WHERE datagrid_id = $1 AND id = 7`,
      'DELETE FROM unique_values WHERE datagrid_id = $1 AND row_id = 7',
      "UPDATE text_index_entries SET value = 'C8' WHERE datagrid_id = $1 AND row_id = 7",
    ],
    found: [{ kind: 'unique_duplicate', ...unique, firstRowId: 7 }],
    canBeRepaired: false,
  },
  {
    name: 'a missing index entry',
    sql: ['DELETE FROM text_index_entries WHERE datagrid_id = $1 AND row_id = 20'],
    found: [{ kind: 'index_missing', ...index, firstRowId: 20 }],
  },
  {
    name: 'index entries with a wrong value and without a value',
    sql: [
      "UPDATE text_index_entries SET value = 'C' WHERE datagrid_id = $1 AND row_id = 22",
      "UPDATE text_index_entries SET value = '', is_empty = true WHERE datagrid_id = $1 AND row_id = 21",
    ],
    found: [{ kind: 'index_wrong', ...index, entries: 2, firstRowId: 21 }],
  },
  {
    name: 'surplus index entries of an existing row and of a missing one',
    sql: [
      "INSERT INTO text_index_entries VALUES ($1, 1, false, 'C20', 23), ($1, 1, false, 'C10', 10)",
    ],
    found: [{ kind: 'index_stale', ...index, entries: 2, firstRowId: 10 }],
  },
  {
    name: 'index entries of columns that have no index, have another type or do not exist',
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

interface FoundPage {
  readonly datagridId: string;
  readonly repaired: boolean;
}

// Starting a program may take long.
jest.setTimeout(120_000);

/** A service with its own database, and a datagrid for each kind of damage, by its name. */
interface Place {
  readonly app: TestApp;
  readonly settings: { readonly DATABASE_URL: string };
  readonly owner: Member;
  readonly grids: ReadonlyMap<string, string>;
}

async function newPlace(): Promise<Place> {
  const app = await TestApp.alone('It verifies the whole database.');
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
  readonly problems: readonly FoundPage[];
  readonly repaired: number;
}

const of = (report: Report, datagridId = ''): readonly FoundPage[] =>
  report.problems.filter((problem) => problem.datagridId === datagridId);

describe('data that the service has written', () => {
  let place: Place;

  beforeAll(async () => {
    place = await newPlace();
  });

  afterAll(() => place.app.close());

  it('passes verify', async () => {
    const { code, stdout, stderr } = await adminProcess(place.settings, 'verify', '--json');
    expect([code, stderr]).toEqual([0, '']);
    const report = { ok: true, datagrids: DAMAGES.length, problems: [], repaired: 0 };
    expect(JSON.parse(stdout)).toEqual(report);
  });

  it('passes verify while rows are written', async () => {
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

describe('damaged data', () => {
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
    it('is reported', () => {
      const problems = of(found, place.grids.get(name));
      expect(problems).toMatchObject(expected);
      expect(problems.every(({ repaired }) => !repaired)).toBe(true);
    });

    it(canBeRepaired ? 'is repaired' : 'is reported and not repaired', () => {
      const problems = of(byRepair, place.grids.get(name));
      expect(problems.map(({ repaired }) => repaired)).toEqual(expected.map(() => canBeRepaired));
      expect(of(after, place.grids.get(name))).toHaveLength(canBeRepaired ? 0 : expected.length);
    });

    if (canBeRepaired) {
      it('leaves a datagrid with correct pages, totals, queries, unique values and new ids', async () => {
        await expectWorking(place, name);
      });
    }
  });

  it('is reported and not deleted if it is a row without a datagrid', () => {
    const orphan = { datagridId: NO_ID, kind: 'orphan', table: 'rows', repaired: false };
    for (const report of [found, byRepair, after]) {
      expect(of(report, NO_ID)).toEqual([{ ...orphan, message: expect.any(String) }]);
    }
    expect(orphans).toEqual([{ id: '1' }]);
  });

  it('is counted, and the exit code is 1 if some of it remains', () => {
    const repairable = DAMAGES.filter(({ canBeRepaired = true }) => canBeRepaired);
    const repaired = repairable.flatMap((damage) => damage.found).length;
    expect(found).toMatchObject({ ok: false, datagrids: DAMAGES.length, repaired: 0 });
    expect(byRepair).toMatchObject({ ok: false, repaired });
    expect(after).toMatchObject({ ok: false, repaired: 0 });
    expect(codes).toEqual([1, 1, 1]);
  });

  it('is repaired with exit code 0 if none of it remains', async () => {
    const { app, owner, grids } = place;
    await app.sql.query('DELETE FROM rows WHERE datagrid_id = $1', [NO_ID]);
    const twice = grids.get('a unique value of two rows') ?? '';
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
