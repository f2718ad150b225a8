import { newId } from '../../../src/common/text/id';
import { HOLD } from '../../../src/imports/job/import-sql';
import { ImportRunService } from '../../../src/imports/run/import-run.service';
import { ImportSweepService } from '../../../src/imports/run/import-sweep.service';
import { RetentionService } from '../../../src/retention/retention.service';
import { PurgeService } from '../../../src/rows/purge/purge.service';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { importNdjson, numbered, rejections, reportOf, SlowImport } from './sending';

let app: TestApp;
let owner: Member;
let beats: ImportRunService['beats'];
let everyMs: number;
let grid: string;
let datagridId: string;

beforeAll(async () => {
  app = await TestApp.shared({ IMPORT_BATCH_ROWS: '10' });
  ({ beats } = app.nest.get(ImportRunService));
  ({ everyMs } = beats);
  beats.everyMs = 100;
  owner = await app.newAccount();
});

beforeEach(async () => {
  grid = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }]);
  datagridId = grid.slice('/datagrids/'.length);
});

afterAll(async () => {
  beats.everyMs = everyMs;
  await app.close();
});

const countOf = async (table: string): Promise<number> => {
  const text = `SELECT count(*)::int AS count FROM ${table} WHERE datagrid_id = $1`;
  return (await app.sql.query<{ count: number }>(text, [datagridId])).rows[0]?.count ?? -1;
};

/** Inserts an import with staged lines, as a dead process leaves it. */
async function insertAbandoned(lines: number, id = newId()): Promise<string> {
  // Uses one statement, because a sweep between two would end an import without lines.
  await app.sql.query(
    `WITH import AS (
       INSERT INTO imports (datagrid_id, id, account_id, user_id, options)
       VALUES ($1, $2, $3, $4, $5) RETURNING datagrid_id, id
     )
     INSERT INTO import_lines
     SELECT datagrid_id, id, line, '{}' FROM import, generate_series(1, $6::int) AS line`,
    [datagridId, id, owner.accountId, owner.userId, JSON.stringify({ format: 'csv' }), lines],
  );
  return id;
}

const stateOf = async (id: string): Promise<string> =>
  dataOf(await owner.api.get(`${grid}/imports/${id}`), 200).state;

/** Makes the sweep end an import. Repeats, because the live process updates the import meanwhile. */
const endFromOutside = (id: string): Promise<true> =>
  eventually(async () => {
    const text = `UPDATE imports SET updated_at = now() - interval '121 seconds' WHERE id = $1`;
    await app.sql.query(text, [id]);
    await app.nest.get(ImportSweepService).runOnce();
    return (await stateOf(id)) === 'failed';
  });

it('marks the import of a dead process as failed and deletes its lines in batches', async () => {
  const id = await insertAbandoned(12_000);
  await app.nest.get(ImportSweepService).runOnce();
  expect(await stateOf(id)).toBe('failed');
  expect(await countOf('import_lines')).toBe(0);
});

it('returns 409 with the line to continue from, without Retry-After, if the process of an import has died', async () => {
  const headers = { 'idempotency-key': 'killed' };
  const sent = SlowImport.start(app, owner, grid, '', headers);
  sent.write(numbered(1, 15));
  await eventually(async () => (await countOf('rows')) === 10);
  // Ends the import from outside, as after its process was killed.
  const { id } = (await owner.api.get(`${grid}/imports`)).body.data[0];
  await endFromOutside(id);
  sent.end();
  await sent.response;
  const before = app.logs.length;
  const again = await importNdjson(owner.api, grid, numbered(1, 15), '', headers);
  expectFailure(again, 'conflict');
  expect(again.headers.get('retry-after')).toBeNull();
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.body.error.message).toContain('Continue from line 11 with a new key.');
  expect(await reportOf(owner.api, again)).toMatchObject({ state: 'failed', nextLine: 11 });
  const levels = app.logs
    .slice(before)
    .map((line) => (JSON.parse(line) as { level: string }).level);
  expect(levels).not.toContain('error');
});

describe('the report of an import that another process has ended', () => {
  const lines = Array.from({ length: 15 }, (_, index) => `{"n":${String(index + 1)}}`);
  lines[2] = lines[11] = lines[13] = '[]';
  lines[4] = '{"n":1}';

  it.each(['killed', 'cancelled'])(
    'matches the committed rows after the import was %s',
    async (how) => {
      grid = await newDatagrid(owner.api, [{ key: 'n', type: 'integer', unique: true }]);
      datagridId = grid.slice('/datagrids/'.length);
      const sent = SlowImport.start(app, owner, grid, '?onError=skip');
      sent.write(`${lines.join('\n')}\n`);
      // Waits until the process has stored counts beyond the committed lines.
      const { id } = await eventually(async () => {
        const [found] = (await owner.api.get(`${grid}/imports`)).body.data;
        return found?.rowsRead === 15 && found.rejected === 4 && found;
      });
      if (how === 'cancelled') {
        await owner.api.delete(`${grid}/imports/${id}`);
      } else {
        await endFromOutside(id);
      }
      sent.end();
      await sent.response;
      const report = dataOf(await owner.api.get(`${grid}/imports/${id}`), 200);
      expect(report).toMatchObject({ nextLine: 13, rowsRead: 12, committedRows: 9, rejected: 3 });
      const rejected = ['3 line wrong_type', '5 n duplicate', '12 line wrong_type'];
      expect(rejections(report)).toEqual(rejected);
    },
  );
});

it('does not end an import with a live session unless it is silent for two minutes', async () => {
  const client = await app.sql.connect();
  try {
    const id = newId();
    await client.query(HOLD, [id]);
    await app.sql.query(
      `INSERT INTO imports (datagrid_id, id, account_id, user_id, options) VALUES ($1, $2, $3, $4, '{}')`,
      [datagridId, id, owner.accountId, owner.userId],
    );
    await app.nest.get(ImportSweepService).runOnce();
    expect(await stateOf(id)).toBe('running');
    await app.sql.query(
      `UPDATE imports SET updated_at = now() - interval '121 seconds' WHERE id = $1`,
      [id],
    );
    await app.nest.get(ImportSweepService).runOnce();
    expect(await stateOf(id)).toBe('failed');
  } finally {
    client.release(true);
  }
});

it('deletes a report 7 days after the end of its import', async () => {
  dataOf(await importNdjson(owner.api, grid, '{}'), 201);
  const { id } = dataOf(await importNdjson(owner.api, grid, '{}'), 201);
  await app.sql.query(
    `UPDATE imports SET finished_at = now() - interval '7 days 1 second' WHERE id = $1`,
    [id],
  );
  await app.nest.get(RetentionService).runOnce();
  expect((await owner.api.get(`${grid}/imports/${id}`)).status).toBe(404);
  expect(await countOf('imports')).toBe(1);
});

it('fails an import whose staged lines are lost, and skips no line', async () => {
  const sent = SlowImport.start(app, owner, grid);
  sent.write(numbered(1, 15));
  await eventually(async () => (await countOf('rows')) === 10);
  const client = await app.sql.connect();
  await client.query('BEGIN');
  const counter = 'SELECT 1 FROM datagrid_counters WHERE datagrid_id = $1 FOR UPDATE';
  await client.query(counter, [datagridId]);
  sent.write(numbered(16, 21));
  await eventually(async () => (await countOf('import_lines')) === 10);
  await app.sql.query('DELETE FROM import_lines WHERE datagrid_id = $1', [datagridId]);
  await client.query('ROLLBACK');
  client.release();
  sent.end();
  const { status, body } = await sent.response;
  expect([status, body.error.code]).toEqual([503, 'unavailable']);
  const [report] = (await owner.api.get(`${grid}/imports`)).body.data;
  expect(report).toMatchObject({ state: 'failed', committedRows: 10, nextLine: 11 });
  expect((await owner.api.get(grid)).body.data.rowCount).toBe(10);
});

it('deletes the imports and lines of a purged datagrid', async () => {
  dataOf(await importNdjson(owner.api, grid, numbered(1, 3)), 201);
  const client = await app.sql.connect();
  try {
    // Holds the lock of a live process, so that the sweep skips the import and only the purge ends it.
    const id = newId();
    await client.query(HOLD, [id]);
    await insertAbandoned(3, id);
    await app.nest.get(ImportSweepService).runOnce();
    expect([await countOf('imports'), await countOf('import_lines')]).toEqual([2, 3]);
    await owner.api.delete(grid);
    await owner.api.delete(`/trash/${datagridId}`);
    await app.nest.get(PurgeService).runOnce();
    expect([await countOf('imports'), await countOf('import_lines')]).toEqual([0, 0]);
  } finally {
    client.release(true);
  }
});

it('keeps the last 1,000 reports of a datagrid and those with an Idempotency-Key', async () => {
  const insert = `
    INSERT INTO imports (datagrid_id, id, account_id, user_id, options, state, finished_at,
      is_cleared, idempotency_key)
    SELECT $1, gen_random_uuid(), $2, $3, $4, 'completed', now(), true, $5 || n::text
    FROM generate_series(1, $6::int) n`;
  const options = JSON.stringify({ format: 'csv' });
  const { accountId, userId } = owner;
  await app.sql.query(insert, [datagridId, accountId, userId, options, null, 1_100]);
  await app.sql.query(insert, [datagridId, accountId, userId, options, 'named ', 50]);
  expect((await importNdjson(owner.api, grid, '{"n":1}')).status).toBe(201);
  expect(await countOf('imports')).toBe(1_051);
});
