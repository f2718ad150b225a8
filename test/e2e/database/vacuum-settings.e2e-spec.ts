import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { newId } from '../../../src/common/text/id';
import { dataSourceOptions } from '../../../src/platform/database/data-source-options';
import { VacuumSettings1763824000000 } from '../../../src/platform/database/migrations/1763824000000-vacuum-settings';
import { distributedTables } from '../../citus/distribution';
import { createTestDatabase, type TestDatabase } from '../../support/test-database';

const BILLION = 1_000_000_000;

/** Tables of datagrids that have far fewer rows than `rows`, or limits of their own. */
const OTHER_TABLES = [
  ...['datagrid_counters', 'datagrid_columns', 'datagrid_views'],
  ...['row_gaps', 'import_lines'],
  // Only the previous release writes it.
  'row_tombstones',
];

const growing = distributedTables().filter((table) => !OTHER_TABLES.includes(table));

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

/** Returns the number of changes after which PostgreSQL vacuums a table of a billion rows. */
async function changesUntilVacuum(
  table: string,
  kind: 'vacuum' | 'vacuum_insert',
): Promise<number> {
  const names = [`autovacuum_${kind}_threshold`, `autovacuum_${kind}_scale_factor`];
  const { rows } = await client.query<{ value: number }>(
    `SELECT coalesce(option_value, current_setting(name))::float8 AS value
     FROM unnest($2::text[]) WITH ORDINALITY AS setting(name, n)
     LEFT JOIN LATERAL (
       SELECT option_value FROM pg_class CROSS JOIN pg_options_to_table(reloptions)
       WHERE oid = $1::regclass AND option_name = name
     ) own ON true
     ORDER BY n`,
    [table, names],
  );
  const [threshold, factor] = rows.map(({ value }) => value);
  return (threshold ?? Number.NaN) + (factor ?? Number.NaN) * BILLION;
}

describe('autovacuum of the tables that grow with rows', () => {
  it('includes all large tables, and those that the tests leave out exist', () => {
    expect(growing).toEqual(expect.arrayContaining(['rows', 'text_index_entries']));
    expect(distributedTables()).toEqual(expect.arrayContaining(OTHER_TABLES));
  });

  it.each(growing)('starts after changes of 1 %% of %s', async (table) => {
    expect(await changesUntilVacuum(table, 'vacuum')).toBe(10_001_000);
    expect(await changesUntilVacuum(table, 'vacuum_insert')).toBe(10_010_000);
  });

  it('is set and reset by the migration while rows are written', async () => {
    const options = { url: database.url, poolSize: 1, lockTimeoutMs: 1_000 };
    const dataSource = await new DataSource(dataSourceOptions(options, [])).initialize();
    const runner = dataSource.createQueryRunner();
    const migration = new VacuumSettings1763824000000();
    await client.query('BEGIN');
    try {
      const insert = 'INSERT INTO unique_values VALUES ($1, 1, $2, 1)';
      await client.query(insert, [newId(), Buffer.from('hash')]);
      await client.query('LOCK TABLE rows, text_index_entries IN ROW EXCLUSIVE MODE');
      await migration.down(runner);
      expect(await changesUntilVacuum('rows', 'vacuum')).toBeGreaterThan(100_000_000);
      await migration.up(runner);
      expect(await changesUntilVacuum('rows', 'vacuum')).toBe(10_001_000);
    } finally {
      await client.query('ROLLBACK');
      await dataSource.destroy();
    }
  });
});
