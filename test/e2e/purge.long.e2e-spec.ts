import { isDeepStrictEqual } from 'node:util';
import { Pool } from 'pg';
import { newId } from '../../src/common/text/id';
import { PurgeService } from '../../src/rows/purge/purge.service';
import { eventually } from '../support/eventually';
import { TestApp, type Member } from '../support/test-app';
import { createTestDatabase } from '../support/test-database';

const TABLES = ['rows', 'row_gaps', 'unique_values', 'datagrid_changes', 'datagrid_purges'];

let app: TestApp;
let owner: Member;
let workspace: string;

beforeAll(async () => {
  app = await TestApp.alone('It runs the purge of the whole database.');
  owner = await app.newAccount();
  workspace = (await owner.api.post('/workspaces', { name: 'W' })).body.data.id;
});

afterAll(() => app.close());

/** Creates a datagrid of `count` rows with unique values and deletes a few of them. */
async function newDatagrid(name: string, count: number): Promise<string> {
  const created = await owner.api.post(`/workspaces/${workspace}/datagrids`, {
    name,
    columns: [{ key: 'n', type: 'integer', unique: true }],
  });
  const { id } = created.body.data;
  for (let from = 0; from < count; from += 1_000) {
    const length = Math.min(1_000, count - from);
    const rows = Array.from({ length }, (_, n) => ({ values: { n: from + n } }));
    expect((await owner.api.post(`/datagrids/${id}/rows`, { rows })).status).toBe(201);
  }
  for (const rowId of [1, 300]) {
    expect((await owner.api.delete(`/datagrids/${id}/rows/${String(rowId)}`)).status).toBe(204);
  }
  return id;
}

async function left(datagridId: string): Promise<number[]> {
  const counts = TABLES.map(async (table) => {
    const sql = `SELECT FROM ${table} WHERE datagrid_id = $1`;
    return (await app.sql.query(sql, [datagridId])).rowCount ?? -1;
  });
  return Promise.all(counts);
}

/** Deletes a datagrid and purges it from the trash. */
async function purge(id: string): Promise<void> {
  await owner.api.delete(`/datagrids/${id}`);
  expect((await owner.api.delete(`/trash/${id}`)).status).toBe(204);
}

const run = (): Promise<number> => app.nest.get(PurgeService, { strict: false }).runOnce();

describe('the purge job', () => {
  it('deletes everything of a purged datagrid in several steps, and nothing else', async () => {
    const gone = await newDatagrid('gone', 2_000);
    const other = await newDatagrid('other', 400);
    expect(await left(gone)).toEqual([1_998, 4, 1_998, 4, 0]);
    const before = await left(other);
    await purge(gone);
    await run();
    expect(await left(gone)).toEqual([0, 0, 0, 0, 0]);
    expect(await left(other)).toEqual(before);
    expect((await owner.api.get(`/datagrids/${other}/rows`)).body.meta.total).toBe(398);
  });

  it('skips a datagrid that another replica is purging, and continues with the next', async () => {
    const holder = await app.sql.connect();
    const take = 'SELECT FROM datagrid_purges WHERE datagrid_id = $1 FOR UPDATE SKIP LOCKED';
    const whole = [298, 4, 298, 4, 1];
    let taken = '';
    await holder.query('BEGIN');
    try {
      // The service's own run may come first or may have started on it.
      while (taken === '') {
        const id = await newDatagrid('taken', 300);
        await purge(id);
        const isHeld = (await holder.query(take, [id])).rowCount === 1;
        if (isHeld && isDeepStrictEqual(await left(id), whole)) taken = id;
      }
      const free = await newDatagrid('free', 300);
      await purge(free);
      await run();
      expect(await left(free)).toEqual([0, 0, 0, 0, 0]);
      expect(await left(taken)).toEqual(whole);
    } finally {
      await holder.query('COMMIT');
      holder.release();
    }
    await run();
    expect(await left(taken)).toEqual([0, 0, 0, 0, 0]);
  });

  it('logs and retries a failed purge, and continues with the others', async () => {
    const [bad, good] = [await newDatagrid('bad', 300), await newDatagrid('good', 300)];
    await app.sql.query(`
      CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE 'not now'; END $$;
      CREATE TRIGGER reject BEFORE DELETE ON rows FOR EACH ROW
        WHEN (OLD.datagrid_id = '${bad}') EXECUTE FUNCTION reject()`);
    await purge(bad);
    await purge(good);
    await run();
    expect(await left(good)).toEqual([0, 0, 0, 0, 0]);
    expect(await left(bad)).toEqual([298, 4, 298, 4, 1]);
    const lines = app.logs.map((line) => JSON.parse(line) as { datagridId?: string; msg: string });
    expect(lines.find(({ datagridId }) => datagridId === bad)?.msg).toBe('datagrid cleanup failed');
    await app.sql.query('DROP TRIGGER reject ON rows');
    await run();
    expect(await left(bad)).toEqual([0, 0, 0, 0, 0]);
  });

  it('starts with the application and stops with it after the current step', async () => {
    const database = await createTestDatabase();
    const sql = new Pool({ connectionString: database.url, max: 2 });
    sql.on('error', () => undefined);
    const count = async (query: string): Promise<number> => (await sql.query(query)).rowCount ?? -1;
    const rows = `INSERT INTO rows SELECT $1, n, '{}', 1, now(), now() FROM generate_series(1, 4500) n`;
    const id = newId();
    await sql.query(rows, [id]);
    await sql.query('INSERT INTO datagrid_purges (datagrid_id) VALUES ($1)', [id]);
    const holder = await sql.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM rows WHERE id = 5 FOR UPDATE');

    const replica = await TestApp.start({ database });
    const waiting = `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await eventually(async () => (await count(waiting)) > 0);
    const stopped = jest.spyOn(
      replica.nest.get(PurgeService, { strict: false }),
      'onModuleDestroy',
    );
    const closed = replica.close();
    // Other services are stopped before it.
    await eventually(() => stopped.mock.calls.length > 0);
    await holder.query('COMMIT');
    holder.release();
    await closed;
    expect(await count('SELECT FROM rows')).toBe(4_375);

    const next = await TestApp.start({ database });
    await eventually(async () => (await count('SELECT FROM datagrid_purges')) === 0);
    expect(await count('SELECT FROM rows')).toBe(0);
    await next.close();
    await sql.end();
    await database.drop();
  });

  it('shares the work with other replicas', async () => {
    const other = await TestApp.start({ database: app.database });
    try {
      const ids = await Promise.all(['x', 'y', 'z'].map((name) => newDatagrid(name, 1_000)));
      for (const id of ids) await purge(id);
      const others = other.nest.get(PurgeService, { strict: false });
      await eventually(async () => {
        await Promise.all([run(), others.runOnce(), run()]);
        return (await Promise.all(ids.map(left))).flat().every((count) => count === 0);
      });
    } finally {
      await other.close();
    }
  });
});
