import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { ALLOW_LOCAL, expectEqual, listRows, Warehouse } from './warehouse';

const COLUMNS = [
  { key: 'name', type: 'text' },
  { key: 'count', type: 'integer' },
  { key: 'details', type: 'json' },
];

let warehouse: Warehouse;
let app: TestApp;
let replica: TestApp;
let owner: Member;
let serial = 0;

beforeAll(async () => {
  warehouse = await Warehouse.start();
  app = await TestApp.shared();
  replica = await TestApp.start({ settings: ALLOW_LOCAL, database: app.database });
  owner = await app.newAccount();
});

afterAll(async () => {
  await replica.close();
  await app.close();
  await warehouse.close();
});

/** A datagrid with a connection that syncs it to the only table of a schema of its own. */
interface Synced {
  readonly datagrid: string;
  readonly datagridId: string;
  readonly schema: string;
  readonly connectionId: string;
  /** Path of the connection. */
  readonly connection: string;
  /** Path of its table. */
  readonly path: string;
  /** Name of the table in the warehouse. */
  readonly table: string;
}

interface SyncOptions {
  readonly columns?: readonly object[];
  readonly rows?: number;
  readonly settings?: Json;
}

async function newSynced({
  columns = COLUMNS,
  rows = 10,
  settings,
}: SyncOptions = {}): Promise<Synced> {
  serial += 1;
  const schema = `sync_${String(serial)}`;
  const workspace = await newWorkspace(owner.api);
  const datagrid = await newDatagrid(owner.api, columns, workspace);
  const datagridId = datagrid.split('/')[2] ?? '';
  if (rows > 0) await create(datagrid, rows);
  const body = {
    name: 'Warehouse',
    type: 'postgresql',
    settings: { ...warehouse.settings(schema), ...settings },
    secret: warehouse.password,
    datagridIds: [datagridId],
  };
  const connections = `/workspaces/${workspace}/connections`;
  const { id } = dataOf(await owner.api.post(connections, body), 201);
  const connection = `${connections}/${id as string}`;
  const [{ name }] = dataOf(await owner.api.get(`${connection}/tables`), 200);
  const path = `${connection}/tables/${datagridId}`;
  return { datagrid, datagridId, schema, connectionId: id, connection, path, table: name };
}

async function create(datagrid: string, count: number, values: Json = {}): Promise<number[]> {
  const rows = Array.from({ length: count }, (_, n) => ({
    values: { name: `Name ${String(n)}`, count: n, details: { n }, ...values },
  }));
  const created = dataOf(await owner.api.post(`${datagrid}/rows`, { rows }), 201) as Json[];
  return created.map(({ id }) => id);
}

const expectInStep = ({ datagrid, schema, table }: Synced): Promise<void> =>
  expectEqual(warehouse, schema, table, () => listRows(owner.api, datagrid));

const nameOf = ({ schema, table }: Synced): string => `"${schema}"."${table}"`;

/** Returns the table of a connection, as the API describes it. */
async function tableOf({ connection }: Synced): Promise<Json> {
  return dataOf(await owner.api.get(`${connection}/tables`), 200)[0];
}

async function patch(path: string, body: Json): Promise<void> {
  dataOf(await owner.api.patch(path, body), 200);
}

/** Disables the connection, and waits until its worker has ended. */
async function pause({ connection, connectionId }: Synced): Promise<void> {
  await patch(connection, { enabled: false });
  await eventually(async () => {
    const { rows } = await app.sql.query(
      'SELECT FROM connection_tables WHERE connection_id = $1 AND leased_until > now()',
      [connectionId],
    );
    return rows.length === 0;
  });
}

/** Makes a table due that waits after a failure. */
async function retry({ connectionId }: Synced): Promise<void> {
  const now =
    'UPDATE connection_tables SET next_run_at = now() - make_interval(secs => 1) WHERE connection_id = $1';
  await app.sql.query(now, [connectionId]);
}

const resume = ({ connection }: Synced): Promise<void> => patch(connection, { enabled: true });

describe('the sync of a datagrid', () => {
  it('loads all rows, and then follows every change', async () => {
    const synced = await newSynced({ rows: 500 });
    const { datagrid } = synced;
    await expectInStep(synced);
    const [first = 0, second = 0] = await create(datagrid, 3);
    await owner.api.patch(`${datagrid}/rows/${String(first)}`, { values: { name: 'changed' } });
    await owner.api.delete(`${datagrid}/rows/${String(second)}`);
    await expectInStep(synced);
    await owner.api.post(`${datagrid}/rows/batch`, {
      mode: 'atomic',
      operations: [
        { op: 'update', id: 1, values: { count: null, details: [1.5, 'a'] } },
        { op: 'delete', id: 2 },
        { op: 'create', values: { name: '"quoted", \n \\N' } },
      ],
    });
    await expectInStep(synced);
    expect(await tableOf(synced)).toMatchObject({
      status: 'synced',
      loadedRows: null,
      lastError: null,
    });
  });

  it('creates the table of an empty datagrid', async () => {
    const synced = await newSynced({ rows: 0 });
    await expectInStep(synced);
    await create(synced.datagrid, 1);
    await expectInStep(synced);
  });

  it('reads the values of rows again if a column gets a type that does not hold the former one', async () => {
    const synced = await newSynced({ rows: 0 });
    await create(synced.datagrid, 3, { name: '2026-11-21' });
    await expectInStep(synced);
    dataOf(await owner.api.patch(`${synced.datagrid}/columns/name`, { type: 'date' }), 200);
    await eventually(async () => {
      const { rows } = await warehouse.sql.query(
        `SELECT pg_typeof(name)::text AS type FROM ${nameOf(synced)} LIMIT 1`,
      );
      return rows[0].type === 'date';
    });
    await expectInStep(synced);
  });

  it('copies rows on while a view depends on columns that were removed and retyped, and drops these when it is gone', async () => {
    const synced = await newSynced({
      columns: [...COLUMNS, { key: 'due', type: 'text' }, { key: 'size', type: 'integer' }],
    });
    const { datagrid, schema } = synced;
    await create(datagrid, 1, { due: '2026-11-21', size: 7 });
    await expectInStep(synced);
    const view = `"${schema}".report`;
    await warehouse.sql.query(`CREATE VIEW ${view} AS SELECT * FROM ${nameOf(synced)}`);
    expect((await owner.api.delete(`${datagrid}/columns/name`)).status).toBe(204);
    await patch(`${datagrid}/columns/due`, { type: 'date' });
    await patch(`${datagrid}/columns/size`, { type: 'number' });
    await create(datagrid, 1, { name: undefined, due: '2026-11-22', size: 8.5 });
    const own = async (): Promise<unknown[]> => {
      const text = `SELECT _id AS id, due::text, size FROM ${nameOf(synced)} WHERE due IS NOT NULL ORDER BY 1`;
      return (await warehouse.sql.query(text).catch(() => ({ rows: [] }))).rows;
    };
    const expected = [
      { id: '11', due: '2026-11-21', size: 7 },
      { id: '12', due: '2026-11-22', size: 8.5 },
    ];
    await eventually(async () => isDeepStrictEqual(await own(), expected)).catch(() => undefined);
    expect(await own()).toEqual(expected);
    const former = `SELECT name, due, size FROM ${view} WHERE _id >= 11 ORDER BY _id`;
    expect((await warehouse.sql.query(former)).rows).toEqual([
      { name: 'Name 0', due: '2026-11-21', size: '7' },
      { name: null, due: null, size: null },
    ]);
    const unusedOf = ({ destinationColumns }: Json): Json[] =>
      (destinationColumns as Json[]).filter(({ state }) => state === 'unused');
    await eventually(async () => {
      const { revision, datagridRevision } = await tableOf(synced);
      return revision === datagridRevision;
    });
    expect(unusedOf(await tableOf(synced))).toEqual([
      { key: null, name: '_datagrid_unused_1_name', type: 'text', state: 'unused' },
      { key: null, name: '_datagrid_unused_1_due', type: 'text', state: 'unused' },
      { key: null, name: '_datagrid_unused_1_size', type: 'bigint', state: 'unused' },
    ]);
    expect(await tableOf(synced)).toMatchObject({ status: 'synced', lastError: null });
    await warehouse.sql.query(`DROP VIEW ${view}`);
    // No row changes. As if a minute had passed since the last run.
    await eventually(async () => {
      await app.sql.query(
        "UPDATE connection_tables SET synced_at = now() - interval '61 seconds' WHERE connection_id = $1",
        [synced.connectionId],
      );
      return unusedOf(await tableOf(synced)).length === 0;
    });
    await expectInStep(synced);
  });

  it('syncs chosen columns, and the values of old rows if more are chosen', async () => {
    const synced = await newSynced();
    await patch(synced.path, { columns: ['count'] });
    const chosen = (keys: readonly string[]) => async () =>
      (await listRows(owner.api, synced.datagrid)).map(({ values, ...row }) => ({
        ...row,
        values: Object.fromEntries(keys.map((key) => [key, values[key]])),
      }));
    await expectEqual(warehouse, synced.schema, synced.table, chosen(['count']));
    await patch(synced.path, { columns: ['name', 'count'] });
    await expectEqual(warehouse, synced.schema, synced.table, chosen(['name', 'count']));
    await patch(synced.path, { columns: ['name'] });
    await expectEqual(warehouse, synced.schema, synced.table, chosen(['name']));
  });

  it('reads the values of old rows while new ones are written without pause', async () => {
    const synced = await newSynced();
    await patch(synced.path, { columns: ['count'] });
    const first = async (): Promise<Json> =>
      (await warehouse.read(synced.schema, synced.table))?.[0]?.values;
    await eventually(async () => isDeepStrictEqual(await first(), { count: 0 }));
    const done = new AbortController();
    const writes = [1, 2, 3].map(async () => {
      while (!done.signal.aborted) await create(synced.datagrid, 1);
    });
    try {
      await patch(synced.path, { columns: ['name', 'count'] });
      await eventually(async () => isDeepStrictEqual(await first(), { name: 'Name 0', count: 0 }));
    } finally {
      done.abort();
      await Promise.all(writes);
    }
  });

  it('loads a table again beside the other, so that readers never see it empty', async () => {
    const synced = await newSynced({ rows: 300 });
    await expectInStep(synced);
    const view = `CREATE VIEW "${synced.schema}".names AS SELECT name FROM ${nameOf(synced)}`;
    await warehouse.sql.query(view);
    const counts = new Set<number>();
    const done = new AbortController();
    const reader = (async (): Promise<void> => {
      while (!done.signal.aborted) {
        const { rows } = await warehouse.sql.query(
          `SELECT count(*)::int FROM "${synced.schema}".names`,
        );
        counts.add(rows[0].count);
      }
    })();
    expect((await owner.api.post(`${synced.path}/reset`)).status).toBe(204);
    await eventually(async () => (await tableOf(synced)).request === null);
    await eventually(async () => (await tableOf(synced)).loadedRows === null);
    done.abort();
    await reader;
    expect(counts).toEqual(new Set([300]));
    await expectInStep(synced);
  });

  it('loads the table again if the log has expired', async () => {
    const synced = await newSynced();
    await expectInStep(synced);
    await pause(synced);
    await owner.api.delete(`${synced.datagrid}/rows/1`);
    await create(synced.datagrid, 2);
    await app.sql.query('DELETE FROM datagrid_changes WHERE datagrid_id = $1', [synced.datagridId]);
    await resume(synced);
    await expectInStep(synced);
  });

  it('notices a restored backup of the service, and makes the table right again', async () => {
    const synced = await newSynced();
    await expectInStep(synced);
    await pause(synced);
    const tables = ['rows', 'datagrid_counters', 'datagrid_changes', 'connection_tables'];
    for (const table of tables) {
      await app.sql.query(
        `CREATE TABLE backup_of_${table} AS SELECT * FROM ${table} WHERE datagrid_id = '${synced.datagridId}'`,
      );
    }
    await resume(synced);
    await create(synced.datagrid, 2);
    await owner.api.delete(`${synced.datagrid}/rows/1`);
    await expectInStep(synced);

    await pause(synced);
    for (const table of tables) {
      await app.sql.query(`
        DELETE FROM ${table} WHERE datagrid_id = '${synced.datagridId}';
        INSERT INTO ${table} SELECT * FROM backup_of_${table};
        DROP TABLE backup_of_${table}`);
    }
    // These writes get the revisions and the ids of those that were lost.
    await create(synced.datagrid, 1);
    await owner.api.patch(`${synced.datagrid}/rows/2`, { values: { name: 'after the backup' } });
    await resume(synced);
    await expectInStep(synced);
  });

  it('trusts no state that somebody has written in the destination, and loads the table again', async () => {
    const synced = await newSynced();
    await expectInStep(synced);
    await pause(synced);
    const states = `"${synced.schema}"._datagrid_sync`;
    const secret = '0 AND false UNION ALL SELECT 1, 1, rolname::text FROM pg_roles --';
    const write = 'x) TO STDOUT; COMMIT; CREATE TABLE taken_over (id integer); COPY (SELECT 1';
    for (const value of [secret, write]) {
      await warehouse.sql.query(
        `UPDATE ${states} SET state = jsonb_set(state::jsonb, '{rescanAfterId}', to_jsonb($1::text))::text`,
        [value],
      );
      await resume(synced);
      await create(synced.datagrid, 1);
      await expectInStep(synced);
      await pause(synced);
    }
    const { rows } = await app.sql.query("SELECT to_regclass('taken_over') AS found");
    expect(rows).toEqual([{ found: null }]);
  });

  it('says that a token in the destination is not valid, and syncs all others meanwhile', async () => {
    const [synced, other] = [await newSynced(), await newSynced()];
    await expectInStep(synced);
    await expectInStep(other);
    const states = `"${synced.schema}"._datagrid_sync`;
    for (const token of ['9223372036854774784', '9007199254740991', '8589934592']) {
      await warehouse.sql.query(`UPDATE ${states} SET token = $1`, [token]);
      await create(synced.datagrid, 1);
      await retry(synced);
      await eventually(async () => /token/.test((await tableOf(synced)).lastError ?? ''));
      await create(other.datagrid, 1);
      await expectInStep(other);
    }
    expect((await tableOf(synced)).lastError).toMatch(
      /^The table _datagrid_sync has a token that is not valid\. /,
    );
    await warehouse.sql.query(`DROP TABLE ${states}`);
    await retry(synced);
    await expectInStep(synced);
  });

  it('tells of another installation that has claimed the table, and goes on', async () => {
    const synced = await newSynced();
    await expectInStep(synced);
    await warehouse.sql.query(`UPDATE "${synced.schema}"._datagrid_sync SET token = token + 100`);
    await create(synced.datagrid, 1);
    await expectInStep(synced);
    const runs = dataOf(await owner.api.get(`${synced.connection}/runs`), 200) as Json[];
    const errors = runs.map(({ error }) => error as string | null).filter((each) => each !== null);
    expect(errors).toEqual([expect.stringMatching(/^Another sync has claimed the table\. /)]);
  });

  it('loads a table again that was dropped', async () => {
    const synced = await newSynced();
    await expectInStep(synced);
    await warehouse.sql.query(`DROP TABLE ${nameOf(synced)}`);
    await create(synced.datagrid, 1);
    await expectInStep(synced);
  });

  it.each([
    'DROP COLUMN name',
    'RENAME COLUMN count TO other',
    'ALTER COLUMN count TYPE boolean USING true',
  ])('loads a table again whose columns somebody has changed: %s', async (change) => {
    const synced = await newSynced();
    await expectInStep(synced);
    await warehouse.sql.query(`ALTER TABLE ${nameOf(synced)} ${change}`);
    await create(synced.datagrid, 1);
    await eventually(
      async () => (await warehouse.read(synced.schema, synced.table))?.length === 11,
    );
    const rows = await warehouse.read(synced.schema, synced.table);
    const own = rows?.map(({ values, ...row }) => ({
      ...row,
      // A column of somebody else stays.
      values: Object.fromEntries(Object.entries(values).filter(([key]) => key !== 'other')),
    }));
    expect(own).toEqual(await listRows(owner.api, synced.datagrid));
  });

  it('goes on after its connection was cut', async () => {
    const synced = await newSynced({ rows: 1_000 });
    for (let n = 0; n < 10; n += 1) {
      warehouse.bridge.breakAll();
      await create(synced.datagrid, 20);
      await retry(synced);
    }
    await expectInStep(synced);
  });

  it('says what is wrong with the settings, and goes on once they are corrected', async () => {
    const synced = await newSynced({ settings: { database: 'missing' } });
    const lastError = await eventually(async () => (await tableOf(synced)).lastError ?? undefined);
    expect(lastError).toMatch(/^The database does not exist\. Create it, or correct its name\./);
    expect(await tableOf(synced)).toMatchObject({ status: 'failing' });
    const runs = dataOf(await owner.api.get(`${synced.connection}/runs`), 200);
    expect(runs).toMatchObject([{ error: lastError }]);
    await patch(synced.connection, { settings: warehouse.settings(synced.schema) });
    await expectInStep(synced);
    await eventually(async () => (await tableOf(synced)).status === 'synced');
    expect(await tableOf(synced)).toMatchObject({ lastError: null });
  });

  it('adds a table for each datagrid that is created later, if the connection syncs all', async () => {
    const workspace = await newWorkspace(owner.api);
    const schema = 'all_datagrids';
    const body = { name: 'All', type: 'postgresql', settings: warehouse.settings(schema) };
    const connections = `/workspaces/${workspace}/connections`;
    const secret = warehouse.password;
    dataOf(await owner.api.post(connections, { ...body, secret }), 201);
    const path = `/workspaces/${workspace}/datagrids`;
    for (const name of ['Orders 2026', 'Orders-2026']) {
      const { id } = dataOf(await owner.api.post(path, { name, columns: COLUMNS }), 201);
      await create(`/datagrids/${id as string}`, 2);
    }
    await eventually(async () => (await warehouse.read(schema, 'orders_2026'))?.length === 2);
    await eventually(async () => (await warehouse.read(schema, 'orders_2026_2'))?.length === 2);
  });

  it('finds rows that are different in the destination, and repairs them while rows are written', async () => {
    const synced = await newSynced({ rows: 500 });
    await expectInStep(synced);
    const checked = async (request: 'check' | 'repair'): Promise<Json> => {
      const { checkedAt } = await tableOf(synced);
      expect((await owner.api.post(`${synced.path}/${request}`)).status).toBe(204);
      return eventually(async () => {
        const table = await tableOf(synced);
        return table.checkedAt === checkedAt ? undefined : table;
      });
    };
    expect(await checked('check')).toMatchObject({ differentRows: 0, request: null });

    await warehouse.sql.query(`
      DELETE FROM ${nameOf(synced)} WHERE _id IN (3, 4);
      UPDATE ${nameOf(synced)} SET _revision = 0, name = 'damaged' WHERE _id = 5;
      INSERT INTO ${nameOf(synced)} (_id, _revision) VALUES (100000, 1)`);
    const done = new AbortController();
    const writer = (async (): Promise<void> => {
      for (let n = 0; !done.signal.aborted; n += 1) {
        const path = `${synced.datagrid}/rows/${String(10 + (n % 400))}`;
        await patch(path, { values: { count: n } });
      }
    })();
    expect(await checked('check')).toMatchObject({ differentRows: 4 });
    expect(await checked('repair')).toMatchObject({ differentRows: 4 });
    expect(await checked('check')).toMatchObject({ differentRows: 0 });
    done.abort();
    await writer;
    await expectInStep(synced);
    await eventually(async () => (await tableOf(synced)).lagSeconds === 0);
  });

  it('waits while the datagrid is in the trash', async () => {
    const synced = await newSynced();
    await expectInStep(synced);
    expect((await owner.api.delete(synced.datagrid)).status).toBe(204);
    const { rows } = await app.sql.query('SELECT id FROM datagrids WHERE id = $1', [
      synced.datagridId,
    ]);
    expect(rows).toHaveLength(1);
    dataOf(await owner.api.post(`/trash/${synced.datagridId}/restore`), 200);
    await create(synced.datagrid, 1);
    await expectInStep(synced);
  });
});
