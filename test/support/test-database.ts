import { randomBytes } from 'node:crypto';
import { onDatabase, withClient } from './database-url';

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is set by the global setup.`);
  return value;
}

/** Creates a database for a suite, with the schema in place. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = setting('TEST_SERVER_URL');
  const name = `datagrid_test_${randomBytes(8).toString('hex')}`;
  await withClient(server, (client) =>
    client.query(`CREATE DATABASE ${name} TEMPLATE ${setting('TEST_TEMPLATE')}`),
  );
  return {
    url: onDatabase(server, name),
    drop: async () => {
      await withClient(server, (client) =>
        client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
      );
    },
  };
}
