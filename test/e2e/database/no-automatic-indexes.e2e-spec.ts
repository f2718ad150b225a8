import { Client } from 'pg';
import { DataSource, type QueryRunner } from 'typeorm';
import { newId } from '../../../src/common/text/id';
import { dataSourceOptions } from '../../../src/platform/database/data-source-options';
import { NoAutomaticIndexes1763844000000 } from '../../../src/platform/database/migrations/1763844000000-no-automatic-indexes';
import { createTestDatabase, type TestDatabase } from '../../support/test-database';

let database: TestDatabase;
let client: Client;
let dataSource: DataSource;
let runner: QueryRunner;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  const options = { url: database.url, poolSize: 1, lockTimeoutMs: 1_000 };
  dataSource = await new DataSource(dataSourceOptions(options, [])).initialize();
  runner = dataSource.createQueryRunner();
});

afterAll(async () => {
  await dataSource.destroy();
  await client.end();
  await database.drop();
});

interface TestColumn {
  readonly isIndexed?: boolean;
  readonly isUnique?: boolean;
  readonly isAutomatic?: boolean;
  /** -1 if the index is complete; `null` for none. */
  readonly indexedTo: number | null;
  /** Whether entries of an earlier index are still to be deleted. */
  readonly isLeft?: boolean;
}

/** Creates a datagrid with text columns, without rows. */
async function newGrid(...columns: TestColumn[]): Promise<string> {
  const [accountId, workspaceId, id] = [newId(), newId(), newId()];
  const run = (text: string, ...values: unknown[]): Promise<unknown> => client.query(text, values);
  await run('INSERT INTO accounts (id, name) VALUES ($1, $2)', accountId, 'Account');
  await run(
    `INSERT INTO workspaces (id, account_id, name, name_key) VALUES ($1, $2, 'Space', 'space')`,
    workspaceId,
    accountId,
  );
  await run(
    `INSERT INTO datagrids (id, account_id, workspace_id, name, name_key, description)
     VALUES ($1, $2, $3, 'Grid', 'grid', '')`,
    ...[id, accountId, workspaceId],
  );
  await run('INSERT INTO datagrid_counters (datagrid_id) VALUES ($1)', id);
  for (const [n, column] of columns.entries()) {
    const { isIndexed, isUnique, isAutomatic, indexedTo, isLeft } = column;
    await run(
      `INSERT INTO datagrid_columns (datagrid_id, id, key, slot, title, type, is_indexed, is_unique,
         is_automatic, indexed_to, entries_left_at)
       VALUES ($1, $2, $3, $3, $3, 'text', $4, $5, $6, $7, CASE WHEN $8 THEN now() END)`,
      ...[
        id,
        n + 1,
        `c${String(n)}`,
        isIndexed === true,
        isUnique === true,
        isAutomatic === true,
        indexedTo,
        isLeft === true,
      ],
    );
  }
  return id;
}

/** Returns the schema version of a datagrid, and the state of the index of each column. */
async function stateOf(id: string): Promise<unknown> {
  const { rows } = await client.query<{ version: number; indexedTo: number | null; left: boolean }>(
    `SELECT c.schema_version::int AS version, k.indexed_to::int AS "indexedTo",
       k.entries_left_at IS NOT NULL AS left
     FROM datagrid_columns k JOIN datagrid_counters c USING (datagrid_id)
     WHERE datagrid_id = $1 ORDER BY k.id`,
    [id],
  );
  return {
    version: rows[0]?.version,
    columns: rows.map(({ indexedTo, left }) => ({ indexedTo, left })),
  };
}

it('leaves the entries of automatic indexes to the cleanup, and keeps the indexes that columns ask for', async () => {
  const migration = new NoAutomaticIndexes1763844000000();
  await migration.down(runner);
  const grid = await newGrid(
    { isAutomatic: true, indexedTo: -1 },
    { isAutomatic: true, indexedTo: 7 },
    { isAutomatic: true, indexedTo: null, isLeft: true },
    { isAutomatic: true, isIndexed: true, indexedTo: -1 },
    { isAutomatic: true, isUnique: true, indexedTo: 7 },
    { isIndexed: true, indexedTo: -1 },
    { indexedTo: null },
  );
  const other = await newGrid({ isIndexed: true, indexedTo: -1 });
  const before = await stateOf(other);
  await migration.up(runner);
  expect(await stateOf(other)).toEqual(before);
  expect(await stateOf(grid)).toEqual({
    version: (before as { version: number }).version + 1,
    columns: [
      { indexedTo: null, left: true },
      { indexedTo: null, left: true },
      { indexedTo: null, left: true },
      { indexedTo: -1, left: false },
      { indexedTo: 7, left: false },
      { indexedTo: -1, left: false },
      { indexedTo: null, left: false },
    ],
  });
});
