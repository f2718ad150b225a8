import { Client } from 'pg';
import { describePlain } from '../support/citus-cluster';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import {
  COORDINATOR_TABLES,
  distributedTables,
  droppedConstraints,
  loggedTables,
  placedTables,
  referenceTables,
} from './distribution';

let database: TestDatabase;
let client: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

async function names(query: string): Promise<string[]> {
  return (await client.query<{ name: string }>(query)).rows.map(({ name }) => name);
}

// The tables of a cluster have been changed by the script.
describePlain('distribute.sql', () => {
  it('places every table of the schema once, or leaves it on the coordinator', async () => {
    const tables = await names(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
    );
    const placed = placedTables().map(({ name }) => name);
    expect([...placed, ...COORDINATOR_TABLES].sort()).toEqual(tables);
  });

  it('copies only the list of datagrids to every node', () => {
    expect(referenceTables()).toEqual(['datagrids']);
  });

  it('distributes tables by datagrid_id, colocated with datagrid_counters', () => {
    const distributed = placedTables().filter(({ call }) => call === 'create_distributed_table');
    const [first, ...others] = distributed;
    expect([first?.name, first?.rest]).toEqual(['datagrid_counters', ", 'datagrid_id'"]);
    const rest = ", 'datagrid_id', colocate_with => 'datagrid_counters'";
    expect(new Set(others.map((table) => table.rest))).toEqual(new Set([rest]));
    expect(others.length).toBeGreaterThan(5);
  });

  it('distributes no table that has a unique index without datagrid_id, which Citus rejects', async () => {
    const rejected = await names(`
      SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
      WHERE i.indisunique AND NOT EXISTS (
        SELECT FROM pg_attribute a WHERE a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
          AND a.attname = 'datagrid_id')`);
    expect(rejected).toContain('users');
    expect(distributedTables().filter((name) => rejected.includes(name))).toEqual([]);
  });

  it('places no table with a trigger, because PostgreSQL cannot prepare a transaction that notifies', async () => {
    const triggered = await names(
      'SELECT tgrelid::regclass::text AS name FROM pg_trigger WHERE NOT tgisinternal',
    );
    expect(triggered).toContain('api_keys');
    const placed = [...referenceTables(), ...distributedTables()];
    expect(placed.filter((name) => triggered.includes(name))).toEqual([]);
  });

  it('places no table that has a foreign key or is the target of one, once it has dropped some', async () => {
    const bound = await names(`
      SELECT DISTINCT t.relid::regclass::text AS name
      FROM pg_constraint c CROSS JOIN LATERAL (VALUES (c.conrelid), (c.confrelid)) AS t(relid)
      WHERE c.contype = 'f' AND c.conname <> ALL ('{${droppedConstraints().join(',')}}')`);
    expect(bound).toContain('accounts');
    const placed = [...referenceTables(), ...distributedTables()];
    expect(placed.filter((name) => bound.includes(name))).toEqual([]);
  });

  it('makes every table logged that it distributes, because Citus moves no other while it is written', async () => {
    const unlogged = await names(
      "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relpersistence = 'u'",
    );
    expect(unlogged).toContain('import_lines');
    const placed = distributedTables().filter((name) => unlogged.includes(name));
    expect(placed.filter((name) => !loggedTables().includes(name))).toEqual([]);
  });
});
