import { rm } from 'node:fs/promises';
import { withClient } from './database-url';

export default async function teardown(): Promise<void> {
  // Without workers, what files shared is in this process. A worker exits with it.
  await (await globalThis.browserOfWorker)?.close();
  const server = globalThis.testServer;
  if (!server) return;
  if (globalThis.sharedTestApp) {
    const { nest, sql } = await globalThis.sharedTestApp;
    await nest.close();
    await sql.end();
  }
  for (const url of server.urls) {
    await withClient(url, async (client) => {
      // Databases of files are copies of the template, and named after it.
      const { rows } = await client.query<{ name: string }>(
        'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)',
        [server.template],
      );
      for (const { name } of rows) await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
    });
  }
  await server.embedded?.release();
  if (server.dataDir) await rm(server.dataDir, { recursive: true, force: true });
}
