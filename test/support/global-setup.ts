import 'reflect-metadata';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../src/platform/database/migrate';
import {
  openEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../src/embedded-postgres/embedded-postgres';
import { CitusCluster } from './citus-cluster';
import { onDatabase, withClient } from './database-url';

export interface TestServer {
  readonly embedded: EmbeddedPostgres | undefined;
  readonly dataDir: string | undefined;
  /** The server, or each node of a Citus cluster, the coordinator first. */
  readonly urls: readonly string[];
  readonly template: string;
}

declare global {
  var testServer: TestServer | undefined;
}

/**
 * Provides one PostgreSQL server for the whole run: the Citus cluster at `CITUS_URL`,
 * `TEST_DATABASE_URL`, or an embedded server in a temporary directory. The schema is created once, in a template from which the database of each
 * suite is copied.
 */
export default async function setup(): Promise<void> {
  const citusUrl = process.env['CITUS_URL'];
  const citus = citusUrl === undefined ? undefined : await CitusCluster.open(citusUrl);
  const given = citusUrl ?? process.env['TEST_DATABASE_URL'];
  const dataDir = given ? undefined : await mkdtemp(join(tmpdir(), 'datagrid-test-'));
  const embedded = dataDir
    ? await openEmbeddedPostgres({ dataDir, settings: { fsync: 'off', max_connections: '300' } })
    : undefined;
  const url = given ?? embedded?.url ?? '';
  const template = `datagrid_test_${String(process.pid)}_template`;
  const urls = citus?.nodeUrls ?? [url];
  for (const node of urls) {
    await withClient(node, async (client) => {
      await client.query(`DROP DATABASE IF EXISTS ${template}`);
      await client.query(
        `CREATE DATABASE ${template} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`,
      );
    });
  }
  await citus?.connectNodes(template);
  await migrate({ url: onDatabase(url, template), poolSize: 2, lockTimeoutMs: 5_000 });
  await citus?.distribute(template);
  await citus?.close(template);
  globalThis.testServer = { embedded, dataDir, urls, template };
  process.env['TEST_SERVER_URL'] = url;
  process.env['TEST_SERVER_URLS'] = urls.join(' ');
  process.env['TEST_TEMPLATE'] = template;
}
