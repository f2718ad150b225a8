import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { distributedTables, placedTables } from './distribution';

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

describe('distribute.sql', () => {
  it('contains every table of the schema once', async () => {
    const tables = await names(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
    );
    const placed = placedTables().map(({ name }) => name);
    expect(placed.sort()).toEqual(tables);
  });

  it('makes accounts, users, keys, workspaces and datagrids reference tables, in the order of their foreign keys', () => {
    const references = placedTables().filter(({ call }) => call === 'create_reference_table');
    const inOrder = ['accounts', 'users', 'api_keys', 'workspaces', 'datagrids'];
    expect(references.map(({ name }) => name)).toEqual(inOrder);
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

  it('distributes no table with a trigger, a foreign key or a reference from another table', async () => {
    const bound = await names(`
      SELECT conrelid::regclass::text AS name FROM pg_constraint WHERE contype = 'f'
      UNION SELECT confrelid::regclass::text FROM pg_constraint WHERE contype = 'f'
      UNION SELECT tgrelid::regclass::text FROM pg_trigger`);
    expect(bound).toContain('accounts');
    expect(distributedTables().filter((name) => bound.includes(name))).toEqual([]);
  });
});
