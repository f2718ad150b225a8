import type { Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf } from '../../support/fixture';
import { type Member, TestApp } from '../../support/test-app';
import { Importing } from './importing';
import { ALLOW_LOCAL, listRows, Warehouse } from './warehouse';

const COLUMNS = [
  { key: 'code', type: 'text', unique: true },
  { key: 'city', type: 'text' },
  { key: 'flights', type: 'integer' },
];

const AIRPORTS = `
  SELECT * FROM (VALUES ('JFK', 'New York', 3), ('BER', 'Berlin', 2)) AS a(code, city, flights)`;

let warehouse: Warehouse;
let app: TestApp;
let owner: Member;

beforeAll(async () => {
  warehouse = await Warehouse.start();
  app = await TestApp.start({
    settings: { ...ALLOW_LOCAL, SCHEDULED_IMPORT_TIMEOUT_SECONDS: '3', IMPORT_BATCH_ROWS: '1000' },
  });
  owner = await app.newAccount();
});

afterAll(async () => {
  await app.close();
  await warehouse.close();
});

const target = (schema = 'public'): Json => ({
  type: 'postgresql',
  settings: warehouse.settings(schema),
  secret: warehouse.password,
});

const start = (columns: readonly object[] = COLUMNS): Promise<Importing> =>
  Importing.start(app, owner, target(), columns);

/** Returns the revision of a datagrid, which every write raises. */
async function revisionOf({ datagridId }: Importing): Promise<number> {
  const { rows } = await app.sql.query(
    'SELECT revision::int FROM datagrid_counters WHERE datagrid_id = $1',
    [datagridId],
  );
  return rows[0].revision as number;
}

describe('a scheduled import from PostgreSQL', () => {
  it('creates and updates rows by key, and does not write rows that are equal', async () => {
    const importing = await start();
    await warehouse.sql.query(`CREATE TABLE traffic AS ${AIRPORTS}`);
    const path = await importing.create({ table: 'traffic' });
    expect(await importing.run(path)).toMatchObject({
      rowsRead: 2,
      created: 2,
      updated: 0,
      unchanged: 0,
      rejected: 0,
      error: null,
    });
    const rows = [
      { code: 'JFK', city: 'New York', flights: 3 },
      { code: 'BER', city: 'Berlin', flights: 2 },
    ];
    expect(await importing.rows()).toEqual(rows);
    const revision = await revisionOf(importing);
    expect(await importing.run(path)).toMatchObject({ created: 0, updated: 0, unchanged: 2 });
    expect(await revisionOf(importing)).toBe(revision);
    await warehouse.sql.query("UPDATE traffic SET flights = 4 WHERE code = 'BER'");
    expect(await importing.run(path)).toMatchObject({ updated: 1, unchanged: 1 });
    expect(await importing.rows()).toEqual([rows[0], { ...rows[1], flights: 4 }]);
    expect(await importing.get(path)).toMatchObject({
      status: 'active',
      lastError: null,
      nextRunAt: null,
    });
    expect(dataOf(await owner.api.get(`${path}/runs`), 200)).toHaveLength(3);
  });

  it('leaves columns unchanged that the result lacks', async () => {
    const importing = await start();
    await owner.api.post(`${importing.datagrid}/rows`, {
      values: { code: 'JFK', city: 'Kept', flights: 1 },
    });
    const run = await importing.import({ query: `SELECT code, flights FROM (${AIRPORTS}) a` });
    expect(run).toMatchObject({ created: 1, updated: 1 });
    expect(await importing.rows()).toEqual([
      { code: 'JFK', city: 'Kept', flights: 3 },
      { code: 'BER', flights: 2 },
    ]);
  });

  it('matches columns by the mapping, and then by their names, also if the case differs', async () => {
    const importing = await start();
    const run = await importing.import({
      query: `SELECT code AS "CODE", city AS place, flights AS "Flights" FROM (${AIRPORTS}) a`,
      columns: { place: 'city' },
    });
    expect(run).toMatchObject({ created: 2, error: null });
    expect((await importing.rows())[0]).toEqual({ code: 'JFK', city: 'New York', flights: 3 });
  });

  describe('into columns that it names by keys', () => {
    const columns = [...COLUMNS, { key: 'other', type: 'text', unique: true }];
    const query = `SELECT code AS airport, city AS town FROM (${AIRPORTS}) a`;
    const mapping = { airport: 'code', town: 'city' };
    let importing: Importing;
    let path: string;

    const column = (key: string): string => `${importing.datagrid}/columns/${key}`;

    /** Gives the key of the airports to another unique column. */
    async function moveKey(): Promise<void> {
      for (const [key, body] of [
        ['code', { key: 'iata' }],
        ['iata', { releaseKeys: ['code'] }],
        ['other', { key: 'code' }],
      ] as const) {
        dataOf(await owner.api.patch(column(key), body), 200);
      }
    }

    const idsOf = async (): Promise<unknown> => {
      const ids = 'SELECT column_ids FROM scheduled_imports WHERE id = $1';
      return (await app.sql.query(ids, [path.split('/').at(-1)])).rows[0].column_ids;
    };

    beforeEach(async () => {
      importing = await start(columns);
      path = await importing.create({ query, columns: mapping, missingRows: 'delete' });
      expect(await importing.run(path)).toMatchObject({ created: 2, error: null });
    });

    it('follows them to other keys, and not those who get their keys', async () => {
      await moveKey();
      const run = await importing.run(path);
      expect(run).toMatchObject({ unchanged: 2, created: 0, deleted: 0, error: null });
      const present = { keyColumns: ['iata'], columns: { airport: 'iata', town: 'city' } };
      expect(await importing.get(path)).toMatchObject(present);
      const [listed] = dataOf(await owner.api.get(importing.path), 200);
      expect(listed).toMatchObject(present);
      await importing.patch(path, { name: 'Airports' });
      expect(await importing.get(path)).toMatchObject({ name: 'Airports', ...present });
      expect(await importing.run(path)).toMatchObject({ unchanged: 2, deleted: 0, error: null });
    });

    it('fails if one of them was removed, whoever has its key', async () => {
      await moveKey();
      expect((await owner.api.delete(column('iata'))).status).toBe(204);
      const run = await importing.run(path);
      expect(run).toMatchObject({ created: 0, deleted: 0 });
      expect(run.error).toBe(
        'The datagrid does not have column "code" anymore. Restore it, or change the import.',
      );
      expect(await importing.rows()).toHaveLength(2);
      const renamed = await owner.api.patch(path, { name: 'Airports' });
      expectFailure(renamed, 'invalid_request', [
        'keyColumns.0 unknown_column',
        'columns.airport unknown_column',
      ]);
      await importing.patch(path, { keyColumns: ['code'], columns: { ...mapping } });
      expect(await importing.get(path)).toMatchObject({ keyColumns: ['code'], columns: mapping });
    });

    it('learns their ids in a run if an earlier release has stored the keys alone', async () => {
      const ids = await idsOf();
      expect(ids).toEqual({ code: 1, city: 2 });
      await app.sql.query('UPDATE scheduled_imports SET column_ids = NULL WHERE id = $1', [
        path.split('/').at(-1),
      ]);
      expect(await importing.run(path)).toMatchObject({ unchanged: 2, error: null });
      expect(await idsOf()).toEqual(ids);
    });
  });

  it('imports every type exactly', async () => {
    const importing = await start([
      { key: 'code', type: 'text', unique: true },
      { key: 'big', type: 'integer' },
      { key: 'price', type: 'decimal' },
      { key: 'ratio', type: 'number' },
      { key: 'open', type: 'boolean' },
      { key: 'day', type: 'date' },
      { key: 'at', type: 'datetime' },
      { key: 'details', type: 'json' },
      { key: 'list', type: 'json' },
      { key: 'tags', type: 'multiSelect', options: { choices: ['a', 'b "c"'] } },
      { key: 'large', type: 'text' },
      { key: 'empty', type: 'text' },
    ]);
    const run = await importing.import({
      query: `SELECT 'x' AS code, 9007199254740991::bigint AS big,
        12345678901234567890.123456789::numeric AS price, 0.1::float8 AS ratio, true AS open,
        date '2026-11-21' AS day, timestamptz '2026-11-21 10:30:00.25+02' AS at,
        '{"n": [1.50, null], "t": "ü"}'::jsonb AS details, ARRAY[[1, 2], [3, NULL]] AS list,
        ARRAY['a', 'b "c"'] AS tags, 170141183460469231731687303715884105727::numeric AS large,
        '' AS empty`,
    });
    expect(run).toMatchObject({ created: 1, rejected: 0, error: null });
    expect(await importing.rows()).toEqual([
      {
        code: 'x',
        big: 9_007_199_254_740_991,
        price: '12345678901234567890.123456789',
        ratio: 0.1,
        open: true,
        day: '2026-11-21',
        at: '2026-11-21T08:30:00.250Z',
        details: { n: [1.5, null], t: 'ü' },
        list: [
          [1, 2],
          [3, null],
        ],
        tags: ['a', 'b "c"'],
        large: '170141183460469231731687303715884105727',
        empty: '',
      },
    ]);
  });

  it('rejects rows whose values do not fit, and says why', async () => {
    const importing = await start([
      { key: 'code', type: 'text', unique: true },
      { key: 'ratio', type: 'number' },
      { key: 'at', type: 'datetime' },
    ]);
    const run = await importing.import({
      query: `SELECT * FROM (VALUES
        ('a', 1.5::float8, timestamptz '2026-11-21 10:00:00+00'),
        ('b', 'NaN', NULL), ('c', '-Infinity', NULL),
        ('d', NULL, timestamptz '2026-11-21 10:00:00.123456+00'),
        ('e', NULL, timestamptz 'infinity'), (NULL, 1, NULL), ('a', 2, NULL)
      ) AS v(code, ratio, at)`,
    });
    expect(run).toMatchObject({ rowsRead: 7, created: 1, rejected: 6, error: null });
    const reasons = (run.rejectedRows as Json[]).map(({ line, details }) => [
      line,
      ...(details as Json[]).flatMap(({ field, code }) => [field, code] as string[]),
    ]);
    expect(reasons).toEqual([
      [2, 'ratio', 'invalid_format'],
      [3, 'ratio', 'invalid_format'],
      [4, 'at', 'excess_precision'],
      [5, 'at', 'invalid_format'],
      [6, 'code', 'required'],
      [7, 'code', 'duplicate'],
    ]);
    const report = await owner.api.get(`${importing.datagrid}/imports/${String(run.importId)}`);
    expect(dataOf(report, 200)).toMatchObject({ format: 'query', mode: 'upsert', rejected: 6 });
    expect(await importing.rows()).toHaveLength(1);
  });

  it.each([
    [
      'a column that the datagrid lacks',
      { query: "SELECT 'JFK' AS code, 1 AS gates, 2 AS exits" },
      'The datagrid has no column for columns "gates", "exits" of the result.',
    ],
    [
      'a missing key',
      { query: "SELECT 'New York' AS city" },
      'The result lacks the key column "code"',
    ],
    [
      'two columns for one',
      { query: "SELECT 'JFK' AS code, 'x' AS \"Code\"" },
      'Several columns of the result are for column "code"',
    ],
    [
      'a wrong mapping',
      { query: "SELECT 'JFK' AS code", columns: { place: 'city' } },
      'The result lacks column "place" of the mapping.',
    ],
    [
      'a query that is not valid',
      { query: 'SELECT code FROM' },
      'The query must be one SELECT statement. Correct it.',
    ],
    [
      'a table that does not exist',
      { table: 'nowhere' },
      'The query failed. Correct it. PostgreSQL:',
    ],
    ['a failing function', { query: "SELECT 'a' AS code, 1 / 0 AS flights" }, 'division by zero'],
    ['a parameter', { query: 'SELECT $1 AS code' }, 'The query failed. Correct it.'],
  ])('says what to do about %s, and writes nothing', async (_, body, message) => {
    const importing = await start();
    const path = await importing.create(body);
    const run = await importing.run(path);
    expect(run).toMatchObject({ error: expect.stringContaining(message), created: 0 });
    expect(await importing.get(path)).toMatchObject({ status: 'failing', lastError: run.error });
    expect(await importing.rows()).toEqual([]);
  });

  it.each([
    ['an INSERT', "INSERT INTO sentinel VALUES ('written') RETURNING id AS code"],
    [
      'an INSERT in WITH',
      "WITH w AS (INSERT INTO sentinel VALUES ('w') RETURNING id) SELECT id AS code FROM w",
    ],
    ['two statements', "SELECT 'a' AS code; INSERT INTO sentinel VALUES ('written')"],
    [
      'an INSERT after a query and a COMMIT',
      "SELECT 'a' AS code; COMMIT; INSERT INTO sentinel VALUES ('written')",
    ],
    ['a statement after a COMMIT', "COMMIT; INSERT INTO sentinel VALUES ('written')"],
    ['a closing bracket', "SELECT 'a' AS code) TO '/tmp/x'; --"],
    ['SELECT INTO', "SELECT 'a' AS code INTO stolen"],
    ['a COPY', "COPY (SELECT 'a') TO '/tmp/datagrid-copy'"],
    ['a function that writes', 'SELECT written() AS code'],
    [
      'a function that ends the read-only mode',
      "SELECT set_config('transaction_read_only', 'off', true) || written() AS code",
    ],
    ['a sequence', "SELECT nextval('numbers')::text AS code"],
    ['a lock', 'SELECT id AS code FROM sentinel FOR UPDATE'],
  ])('cannot write in the warehouse with %s', async (_, query) => {
    await warehouse.sql.query(`
      CREATE TABLE IF NOT EXISTS sentinel (id text);
      CREATE SEQUENCE IF NOT EXISTS numbers;
      CREATE OR REPLACE FUNCTION written() RETURNS text LANGUAGE sql AS
        $$ INSERT INTO sentinel VALUES ('written') RETURNING id $$`);
    const importing = await start();
    const preview = await importing.preview({ query });
    expect(preview).toMatchObject({ ok: false, error: expect.any(String) });
    expect((await importing.import({ query })).error).toEqual(expect.any(String));
    const { rows } = await warehouse.sql.query(
      "SELECT FROM sentinel UNION ALL SELECT FROM pg_class WHERE relname = 'stolen'",
    );
    expect(rows).toHaveLength(0);
  });

  it('says which right is lost', async () => {
    const { database } = warehouse.settings('public');
    const lesser = `lesser_${String(database)}`;
    await warehouse.sql.query(`
      CREATE TABLE secret_numbers (code text);
      CREATE ROLE "${lesser}";
      ALTER DATABASE "${String(database)}" SET role = '${lesser}'`);
    try {
      const importing = await start();
      const { error } = await importing.import({ table: 'secret_numbers' });
      expect(error).toMatch(/^The user lacks a right\. Grant SELECT on the tables/);
    } finally {
      await warehouse.sql.query(`
        ALTER DATABASE "${String(database)}" RESET role;
        DROP ROLE "${lesser}"`);
    }
  });

  it('ends a query that takes too long, also on the server', async () => {
    const importing = await start();
    const { error } = await importing.import({
      query: "SELECT 'a' AS code, pg_sleep(600)::text AS city",
    });
    expect(error).toMatch(/^The query took more than 3 seconds/);
    await expectNoQuery('pg_sleep(600)');
  });

  it('ends a query if the import is paused, also on the server', async () => {
    const importing = await start();
    const path = await importing.create({ query: 'SELECT pg_sleep(2.9)::text AS code' });
    await owner.api.post(`${path}/run`);
    await eventually(async () => (await importing.get(path)).status === 'running');
    await importing.patch(path, { enabled: false });
    expect((await importing.get(path)).status).toBe('paused');
    await expectNoQuery('pg_sleep(2.9)');
    expect(await importing.rows()).toEqual([]);
  });

  it('deletes rows that the result lacks, if it is complete', async () => {
    const importing = await start();
    await warehouse.sql.query(`CREATE TABLE leaving AS ${AIRPORTS}`);
    const path = await importing.create({ table: 'leaving', missingRows: 'delete' });
    await importing.run(path);
    await owner.api.post(`${importing.datagrid}/rows`, { values: { code: 'OLD' } });
    expect(await importing.run(path)).toMatchObject({ deleted: 1, unchanged: 2, note: null });
    expect((await importing.rows()).map(({ code }) => code as string)).toEqual(['JFK', 'BER']);
    await warehouse.sql.query("UPDATE leaving SET flights = NULL, code = 'JFK'");
    const rejected = await importing.run(path);
    expect(rejected).toMatchObject({ deleted: 0, rejected: 1 });
    expect(rejected.note).toMatch(/rejected/);
    await warehouse.sql.query('DELETE FROM leaving');
    const empty = await importing.run(path);
    expect(empty).toMatchObject({ deleted: 0, rowsRead: 0, error: null });
    expect(empty.note).toMatch(/the result is empty/);
    expect(await importing.rows()).toHaveLength(2);
    await importing.patch(path, { allowEmptyResult: true });
    expect(await importing.run(path)).toMatchObject({ deleted: 2, note: null });
    expect(await importing.rows()).toEqual([]);
    const { rows: logged } = await app.sql.query(
      "SELECT sum(cardinality(row_ids))::int AS rows FROM datagrid_changes WHERE datagrid_id = $1 AND kind = 'delete'",
      [importing.datagridId],
    );
    expect(logged).toEqual([{ rows: 3 }]);
  });

  it('deletes no row if the result fails before its end', async () => {
    const importing = await start();
    await owner.api.post(`${importing.datagrid}/rows`, { values: { code: 'KEPT' } });
    const run = await importing.import({
      query: `SELECT 'c' || n AS code, 1 / (5000 - n) AS flights FROM generate_series(1, 6000) n`,
      missingRows: 'delete',
    });
    expect(run).toMatchObject({ deleted: 0, error: expect.stringContaining('division by zero') });
    expect((await importing.rows()).some(({ code }) => code === 'KEPT')).toBe(true);
  });

  it('reads a large result in batches', async () => {
    const importing = await start();
    const query = `SELECT 'c' || n AS code, repeat('x', 500) AS city, n AS flights
      FROM generate_series(1, 12000) n`;
    const path = await importing.create({ query, missingRows: 'delete' });
    expect(await importing.run(path)).toMatchObject({ created: 12_000, error: null });
    expect(await importing.run(path)).toMatchObject({ unchanged: 12_000, deleted: 0 });
  });

  it('keeps the last thousand runs, and the last hundred reports of the datagrid', async () => {
    const importing = await start();
    const path = await importing.create({ query: "SELECT 'a' AS code" });
    await app.sql.query(
      `INSERT INTO scheduled_import_runs (scheduled_import_id, id, started_at, ended_at, rows_read,
         created, updated, unchanged, deleted, rejected)
       SELECT $1, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, now(), now(),
         0, 0, 0, 0, 0, 0 FROM generate_series(1, 1005) n`,
      [path.split('/').at(-1)],
    );
    await app.sql.query(
      `INSERT INTO imports (datagrid_id, id, account_id, options, state, is_cleared)
       SELECT $1, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $2, '{}',
         'completed', true FROM generate_series(1, 105) n`,
      [importing.datagridId, owner.accountId],
    );
    await importing.run(path);
    const runs = await owner.api.get(`${path}/runs?limit=1`);
    expect(runs.body.meta.total).toBe(1_000);
    const reports = await owner.api.get(`${importing.datagrid}/imports?limit=1`);
    // The oldest are deleted before the new one begins.
    expect(reports.body.meta.total).toBe(101);
  });

  it('rejects rows with a key that an earlier row has, so that runs do not undo each other', async () => {
    const importing = await start();
    const query = `SELECT * FROM (VALUES ('a', 1), ('a', 2)) AS v(code, flights)`;
    const path = await importing.create({ query });
    expect(await importing.run(path)).toMatchObject({ created: 1, rejected: 1 });
    const revision = await revisionOf(importing);
    const again = await importing.run(path);
    expect(again).toMatchObject({ unchanged: 1, rejected: 1 });
    expect(again.rejectedRows[0].details[0].message).toBe(
      'must be unique, but an earlier row has the same key',
    );
    expect(await revisionOf(importing)).toBe(revision);
  });

  it('runs on its schedule, and only once for runs that were missed', async () => {
    const importing = await start();
    const path = await importing.create({ query: AIRPORTS, intervalSeconds: 3600 });
    const first = await importing.nextRun(path, null);
    const { nextRunAt, lastRunAt } = await importing.get(path);
    expect(Date.parse(nextRunAt) - Date.parse(lastRunAt)).toBe(3_600_000);
    const id = path.split('/').at(-1);
    await app.sql.query(
      "UPDATE scheduled_imports SET next_run_at = now() - interval '3 hours' WHERE id = $1",
      [id],
    );
    await importing.nextRun(path, first.id);
    expect(Date.parse((await importing.get(path)).nextRunAt)).toBeGreaterThan(Date.now());
    expect(dataOf(await owner.api.get(`${path}/runs`), 200)).toHaveLength(2);
  });

  it('writes nothing more once another worker has the claim', async () => {
    const importing = await start();
    const query = `SELECT 'c' || n AS code, pg_sleep(0.0005 * (n % 2))::text AS city
      FROM generate_series(1, 4000) n`;
    const path = await importing.create({ query });
    const id = path.split('/').at(-1);
    await owner.api.post(`${path}/run`);
    await eventually(async () => {
      const { body } = await owner.api.get(`${importing.datagrid}/imports`);
      return (body.data as Json[])[0]?.rowsRead > 0;
    });
    await app.sql.query(
      `UPDATE scheduled_imports SET token = token + 1, next_run_at = NULL,
        leased_until = now() + interval '1 hour' WHERE id = $1`,
      [id],
    );
    const { state } = await eventually(async () => {
      const { body } = await owner.api.get(`${importing.datagrid}/imports`);
      const [found] = body.data as Json[];
      return found?.state !== 'running' && found;
    });
    expect(state).toBe('failed');
    expect((await importing.get(path)).status).toBe('running');
    expect(dataOf(await owner.api.get(`${path}/runs`), 200)).toEqual([]);
  });

  it('ends by itself if the connection copies the datagrid that the import writes', async () => {
    const importing = await Importing.start(app, owner, target('loop'), COLUMNS, {
      datagridIds: null,
    });
    await owner.api.post(`${importing.datagrid}/rows`, { values: { code: 'JFK', flights: 1 } });
    const [{ name }] = dataOf(await owner.api.get(`${importing.connection}/tables`), 200) as [Json];
    const copy = { name: 'Loop', datagridId: importing.datagridId, keyColumns: ['code'] };
    const direct = await owner.api.post(importing.path, { ...copy, table: name });
    expect(direct.status).toBe(400);
    expect(direct.body.error.details).toEqual([
      {
        field: 'table',
        code: 'incompatible_parameters',
        message: 'is the copy of this datagrid that the connection itself keeps',
      },
    ]);
    await eventually(async () => (await warehouse.read('loop', name))?.length === 1);
    const query = `SELECT code, city, flights FROM loop."${String(name)}"`;
    const path = await importing.create({ query });
    const rows = await listRows(owner.api, importing.datagrid);
    expect(await importing.run(path)).toMatchObject({ unchanged: 1, error: null });
    expect(await listRows(owner.api, importing.datagrid)).toEqual(rows);
  });

  it('shows the columns, their types and the first rows of a query without writing', async () => {
    const importing = await start();
    const query = `SELECT 'c' || n AS code, (n / 4.0)::numeric(10, 2) AS share, n AS flights
      FROM generate_series(1, 50) n`;
    const { datagridId } = importing;
    const preview = await importing.preview({ query, datagridId });
    expect(preview.columns).toEqual([
      { name: 'code', sourceType: 'text', type: 'text', key: 'code' },
      { name: 'share', sourceType: 'numeric', type: 'decimal', key: null },
      { name: 'flights', sourceType: 'integer', type: 'integer', key: 'flights' },
    ]);
    expect(preview).toMatchObject({ ok: true, error: null });
    expect(preview.rows).toHaveLength(20);
    expect(preview.rows[0]).toEqual(['c1', '0.25', '1']);
    const checked = await importing.preview({ query, datagridId, keyColumns: ['code'] });
    expect(checked).toMatchObject({ ok: false, error: expect.stringContaining('"share"') });
    expect(await importing.rows()).toEqual([]);
  });
});

/** Waits until no session of the warehouse runs a query with a text. */
async function expectNoQuery(text: string): Promise<void> {
  await eventually(async () => {
    const { rows } = await warehouse.sql.query(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'datagrid import'
         AND state = 'active' AND position($1 IN query) > 0`,
      [text],
    );
    return rows.length === 0;
  });
}
