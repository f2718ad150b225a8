import { DataSource } from 'typeorm';
import { ENTITIES } from '../../src/entity-list';
import { dataSourceOptions } from '../../src/platform/database/data-source-options';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = new DataSource(dataSourceOptions({ url: database.url, poolSize: 2 }, ENTITIES));
  await dataSource.initialize();
});

afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

/** What TypeORM would change to make the schema what the entities say. */
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

describe('the schema', () => {
  it('is what the entities say', async () => {
    expect(await differences()).toEqual([]);
  });

  it('is taken down by undoing every migration, and is the same when they run again', async () => {
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
});
