import 'reflect-metadata';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../src/platform/database/migrate';
import {
  openEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../src/embedded-postgres/embedded-postgres';
import { onDatabase, withClient } from './database-url';

export interface TestServer {
  readonly embedded: EmbeddedPostgres | undefined;
  readonly dataDir: string | undefined;
  readonly url: string;
  readonly template: string;
}

declare global {
  var testServer: TestServer | undefined;
}

/**
 * Provides one PostgreSQL server for the whole run: `TEST_DATABASE_URL`, or an embedded server in a
 * temporary directory. The schema is created once, in a template from which the database of each
 * suite is copied.
 */
export default async function setup(): Promise<void> {
  const given = process.env['TEST_DATABASE_URL'];
  const dataDir = given ? undefined : await mkdtemp(join(tmpdir(), 'datagrid-test-'));
  const embedded = dataDir
    ? await openEmbeddedPostgres({ dataDir, settings: { fsync: 'off', max_connections: '300' } })
    : undefined;
  const url = given ?? embedded?.url ?? '';
  const template = `datagrid_test_${String(process.pid)}_template`;
  await withClient(url, async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${template}`);
    await client.query(`CREATE DATABASE ${template} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`);
  });
  const templateUrl = onDatabase(url, template);
  const options = { url: templateUrl, poolSize: 2, lockTimeoutMs: 5_000 };
  await migrate(options);
  globalThis.testServer = { embedded, dataDir, url, template };
  process.env['TEST_SERVER_URL'] = url;
  process.env['TEST_TEMPLATE'] = template;
}
