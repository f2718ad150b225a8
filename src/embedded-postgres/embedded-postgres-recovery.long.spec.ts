import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ask, ClusterBench } from './testing/cluster-bench';
import { waitFor } from './testing/wait-for';

// Each test creates its own cluster and flushes all of its files to disk.
jest.setTimeout(120_000);

const SHARE_BACKEND = `
  SELECT pid FROM pg_stat_activity WHERE application_name = 'embedded-postgres-share'`;

describe('a killed embedded PostgreSQL', () => {
  let bench: ClusterBench;

  beforeEach(async () => {
    bench = await ClusterBench.create();
  });

  afterEach(async () => {
    await bench.dispose();
  });

  /** Creates a cluster with a committed row, and kills both its service and its server. */
  async function crash(): Promise<string> {
    const service = await bench.startService();
    await ask(service.url, 'CREATE TABLE saved AS SELECT 42 AS value');
    await service.kill();
    await bench.killServer();
    return join(bench.dataDir, 'postgres', 'postmaster.pid');
  }

  it('starts despite a stale lock file, with all committed data', async () => {
    const lockFile = await crash();
    const stale = parseInt(await readFile(lockFile, 'utf8'), 10);

    const { url } = await bench.open();

    expect(await bench.serverPid()).not.toBe(stale);
    expect(await ask(url, 'SELECT value FROM saved')).toBe(42);
  });

  it('starts if another process has the process id in the lock files', async () => {
    const lockFile = await crash();
    const unrelated = await spawnUnrelated(lockFile);
    try {
      const socketLock = join(bench.dataDir, 'postgres-socket', '.s.PGSQL.5432.lock');
      for (const file of [lockFile, socketLock]) {
        const text = await readFile(file, 'utf8');
        await writeFile(file, text.replace(/^\d+/, String(unrelated.pid)));
      }

      const { url } = await bench.open();

      expect(await ask(url, 'SELECT value FROM saved')).toBe(42);
    } finally {
      unrelated.kill('SIGKILL');
    }
  });

  it('restarts while it is in use, and can be shared and stopped as before', async () => {
    const database = await bench.open();
    await ask(database.url, 'CREATE TABLE saved AS SELECT 42 AS value');
    await bench.killServer();

    await waitFor('the new server', () => ask(database.url, SHARE_BACKEND).catch(() => null));
    const other = await bench.open();

    expect(other.url).toBe(database.url);
    expect(await ask(database.url, 'SELECT value FROM saved')).toBe(42);
    await other.release();
    expect(await bench.serverPid()).not.toBeNull();
    await database.release();
    expect(await bench.serverPid()).toBeNull();
  });

  it('announces the URL of the service again after a restart', async () => {
    const service = await bench.open();
    await service.announce(['http://localhost:3001']);
    await bench.killServer();

    const command = await bench.open();

    await waitFor('the URL', async () => (await command.findServiceUrl()) !== null);
    expect(await command.findServiceUrl()).toBe('http://localhost:3001');
  });

  it('can be released at once, and does not run afterwards', async () => {
    const database = await bench.open();
    await bench.killServer();

    await database.release();

    expect(await bench.serverPid()).toBeNull();
  });

  it('stays shared if only the connection of the share was lost', async () => {
    const database = await bench.open();
    const lost = await ask(database.url, SHARE_BACKEND);
    await ask(database.url, `SELECT pg_terminate_backend(${String(lost)})`);
    await waitFor('another share', async () => {
      const found = await ask(database.url, SHARE_BACKEND);
      return found !== undefined && found !== lost;
    });

    await (await bench.open()).release();

    expect(await ask(database.url, 'SELECT 1')).toBe(1);
  });
});

/** Starts a process that is not PostgreSQL, as the user that owns the file. */
async function spawnUnrelated(file: string): Promise<ChildProcess> {
  const { uid, gid } = await stat(file);
  const owner = process.getuid?.() === 0 ? { uid, gid } : {};
  const child = spawn('sleep', ['600'], { stdio: 'ignore', cwd: '/', ...owner });
  await once(child, 'spawn');
  return child;
}
