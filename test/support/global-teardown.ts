import { rm } from 'node:fs/promises';
import { withClient } from './database-url';

export default async function teardown(): Promise<void> {
  // Of files that ran in this process. Workers end theirs when they exit.
  await globalThis.closeShared?.();
  const server = globalThis.testServer;
  if (!server) return;
  for (const url of server.urls) {
    await withClient(url, (client) =>
      client.query(`DROP DATABASE IF EXISTS ${server.template} WITH (FORCE)`),
    );
  }
  await server.embedded?.release();
  if (server.dataDir) await rm(server.dataDir, { recursive: true, force: true });
}
