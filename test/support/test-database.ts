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
  // Of a Citus cluster, each node has its part of the database.
  const urls = setting('TEST_SERVER_URLS').split(' ');
  // Databases that are left at the end are found by the name of their template.
  const name = `${setting('TEST_TEMPLATE')}_${randomBytes(8).toString('hex')}`;
  for (const url of urls) {
    await withClient(url, (client) =>
      // Copies files. The other strategy also writes them to the log, which takes several times as long.
      client.query(
        `CREATE DATABASE ${name} TEMPLATE ${setting('TEST_TEMPLATE')} STRATEGY file_copy`,
      ),
    );
  }
  return {
    url: onDatabase(urls[0] ?? '', name),
    drop: async () => {
      for (const url of urls) {
        await withClient(url, (client) =>
          client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
        );
      }
    },
  };
}
