import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { locateCluster } from '../data-directory';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../embedded-postgres';
import { findRunningServer, socketDirectoryCandidates } from '../server-identity';
import { compileModule, type ServiceProcess, startService } from './service-process';
import { waitFor } from './wait-for';

/** Data directory of one test, with everything started on it. */
export class ClusterBench {
  private readonly services: Promise<ServiceProcess>[] = [];
  private readonly databases: Promise<EmbeddedPostgres>[] = [];
  /** Compiled once: a process must not read a file that is written again for another one. */
  private module: Promise<string> | undefined;

  private constructor(
    private readonly root: string,
    readonly dataDir: string,
  ) {}

  static async create({ subdirectory = 'data' } = {}): Promise<ClusterBench> {
    const root = await mkdtemp(join(tmpdir(), 'embedded-postgres-'));
    // Otherwise root could run the server only in a user namespace.
    await chmod(root, 0o755);
    return new ClusterBench(root, join(root, subdirectory));
  }

  /** Opens the database in this process. */
  open(settings: Record<string, string> = {}): Promise<EmbeddedPostgres> {
    const database = openEmbeddedPostgres({ dataDir: this.dataDir, settings });
    this.databases.push(database);
    return database;
  }

  /** Opens the database in a separate process. */
  async startService(): Promise<ServiceProcess> {
    this.module ??= compileModule(join(this.root, 'js'));
    const service = startService(await this.module, this.dataDir);
    this.services.push(service);
    return service;
  }

  /**
   * Returns the process id of the running server.
   * @returns `null` if none is running.
   */
  async serverPid(): Promise<number | null> {
    return (await findRunningServer((await locateCluster(this.dataDir)).clusterDir))?.pid ?? null;
  }

  /** Kills the server as a crash would, and waits until it has ended. */
  async killServer(): Promise<void> {
    const pid = await this.serverPid();
    if (pid === null) return;
    process.kill(pid, 'SIGKILL');
    await waitFor('the end of the server', async () => (await this.serverPid()) !== pid);
  }

  /** Ends all remaining processes and removes the files, in whatever state the test left them. */
  async dispose(): Promise<void> {
    for (const result of await Promise.allSettled(this.services)) {
      if (result.status === 'fulfilled' && result.value.child.exitCode === null) {
        result.value.child.kill('SIGKILL');
      }
    }
    const releases = this.databases.map(async (database) => (await database).release());
    await Promise.allSettled(releases);
    await this.killServer();
    for (const socketDir of socketDirectoryCandidates(
      (await locateCluster(this.dataDir)).dataDir,
    )) {
      await rm(socketDir, { recursive: true, force: true });
    }
    await rm(this.root, { recursive: true, force: true, maxRetries: 10 });
  }
}

/**
 * Runs one statement over a separate connection.
 * @returns the first column of the first row.
 */
export async function ask(url: string, sql: string): Promise<unknown> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}
