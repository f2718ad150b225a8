import { DataSource } from 'typeorm';
import { newId } from '../../src/common/text/id';
import { ENTITIES } from '../../src/entity-list';
import { dataSourceOptions } from '../../src/platform/database/data-source-options';
import { requireCompleteSchema, TRIGGERS } from '../../src/platform/database/schema-state';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createTestDatabase();
  const options = { url: database.url, poolSize: 2, lockTimeoutMs: 5_000 };
  dataSource = new DataSource(dataSourceOptions(options, ENTITIES));
  await dataSource.initialize();
});

afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

/** Returns the statements with which TypeORM would adapt the schema to the entities. */
async function differences(): Promise<string[]> {
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
  return upQueries.map(({ query }) => query);
}

async function tables(): Promise<string[]> {
  const rows: { name: string }[] = await dataSource.query(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

describe('the database schema', () => {
  it('matches the entities', async () => {
    expect(await differences()).toEqual([]);
  });

  it('passes verification', async () => {
    await expect(requireCompleteSchema(dataSource, false)).resolves.toBeUndefined();
  });

  it('has the triggers that verify looks for, and no other', async () => {
    const rows: { name: string }[] = await dataSource.query(
      'SELECT tgname AS name FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1',
    );
    expect(rows.map(({ name }) => name)).toEqual(TRIGGERS);
  });

  it.each([
    ['a table', 'DROP TABLE row_tombstones', 'CREATE TABLE "row_tombstones"'],
    ['a primary key', 'ALTER TABLE row_gaps DROP CONSTRAINT row_gaps_pkey', '"row_gaps"'],
    ['an index', 'DROP INDEX workspaces_name', 'workspaces_name'],
    ['a column', 'ALTER TABLE rows DROP COLUMN "values"', '"values"'],
    ['a trigger', 'DROP TRIGGER users_changed ON users', 'trigger users_changed'],
  ])('fails verification without %s', async (_, damage, named) => {
    // With a single connection, all statements run in the transaction.
    const options = { url: database.url, poolSize: 1, lockTimeoutMs: 5_000 };
    const connected = await new DataSource(dataSourceOptions(options, ENTITIES)).initialize();
    await connected.query('BEGIN');
    try {
      await connected.query(damage);
      const error = await requireCompleteSchema(connected, false).catch(
        (reason: unknown) => reason,
      );
      const message = String(error).replaceAll('\\', '');
      expect(message).toMatch(
        /^Error: The schema is incomplete \(missing definitions: \d+, the first: /,
      );
      expect(message).toContain(named);
    } finally {
      await connected.query('ROLLBACK');
      await connected.destroy();
    }
  });

  it('disappears if every migration is reverted, and is the same after they run again', async () => {
    const before = await tables();
    expect(before.length).toBeGreaterThan(ENTITIES.length);
    for (let left = dataSource.migrations.length; left > 0; left -= 1) {
      await dataSource.undoLastMigration();
    }
    expect(await tables()).toEqual(['schema_migrations']);
    await dataSource.runMigrations({ transaction: 'each' });
    expect(await tables()).toEqual(before);
    expect(await differences()).toEqual([]);
  });

  it('leaves objects deleted before the trash migration to the purge', async () => {
    const [account, living, dead] = [newId(), newId(), newId()];
    await dataSource.query("INSERT INTO accounts (id, name) VALUES ($1, 'A')", [account]);
    for (const [id, deletedAt] of [
      [living, null],
      [dead, new Date()],
    ]) {
      await dataSource.query(
        "INSERT INTO workspaces (id, account_id, name, name_key, deleted_at) VALUES ($1, $2, 'W', 'w', $3)",
        [id, account, deletedAt],
      );
      await dataSource.query(
        "INSERT INTO datagrids (id, account_id, workspace_id, name, name_key, deleted_at) VALUES ($1, $2, $1, 'D', 'd', $3)",
        [id, account, deletedAt],
      );
      await dataSource.query('INSERT INTO datagrid_counters (datagrid_id) VALUES ($1)', [id]);
    }
    const trash = dataSource.migrations.findIndex(({ name }) => name?.startsWith('Trash'));
    for (let left = dataSource.migrations.length; left > trash; left -= 1) {
      await dataSource.undoLastMigration();
    }
    expect(await dataSource.query('SELECT id FROM workspaces')).toEqual([{ id: living }]);
    expect(await dataSource.query('SELECT id FROM datagrids')).toEqual([{ id: living }]);
    const counters: unknown = await dataSource.query(
      'SELECT datagrid_id AS id FROM datagrid_counters',
    );
    expect(counters).toEqual([{ id: living }]);
    const purges: unknown = await dataSource.query('SELECT datagrid_id AS id FROM datagrid_purges');
    expect(purges).toEqual([{ id: dead }]);
    await dataSource.runMigrations({ transaction: 'each' });
    expect(await differences()).toEqual([]);
  });
});
