import { chmod, lstat, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ask, ClusterBench } from './testing/cluster-bench';

// Each test creates its own cluster and flushes all of its files to disk.
jest.setTimeout(120_000);

describe('openEmbeddedPostgres', () => {
  let bench: ClusterBench;

  beforeEach(async () => {
    bench = await ClusterBench.create();
  });

  afterEach(async () => {
    await bench.dispose();
  });

  it('creates a UTF-8 cluster that is durable and has no port', async () => {
    const { url } = await bench.open();

    expect(url).toMatch(/^postgres:\/\/app@\/postgres\?host=%2F.+&port=5432$/);
    expect(await ask(url, 'SHOW server_encoding')).toBe('UTF8');
    expect(
      await ask(
        url,
        `SELECT concat_ws(' ', datlocprovider, datlocale, datcollate)
         FROM pg_database WHERE datname = 'postgres'`,
      ),
    ).toBe('b C.UTF-8 C');
    expect(await ask(url, 'SHOW listen_addresses')).toBe('');
    expect(await ask(url, 'SHOW fsync')).toBe('on');
    expect(await ask(url, 'SHOW synchronous_commit')).toBe('on');
    expect(await ask(url, 'SHOW full_page_writes')).toBe('on');
  });

  it('applies settings', async () => {
    const { url } = await bench.open({ work_mem: '5MB' });

    expect(await ask(url, 'SHOW work_mem')).toBe('5MB');
  });

  it('lets no other user enter the directory of the socket', async () => {
    const { url } = await bench.open();

    const socketDir = new URL(url.replace('@/', '@localhost/')).searchParams.get('host') ?? '';
    expect((await lstat(socketDir)).mode & 0o777).toBe(0o700);
  });

  it('stops the server on release and keeps the data for the next start', async () => {
    const first = await bench.open();
    await ask(first.url, 'CREATE TABLE saved AS SELECT 42 AS value');
    await first.release();
    await first.release();
    expect(await bench.serverPid()).toBeNull();
    expect(await readdir(join(bench.dataDir, 'postgres'))).not.toContain('postmaster.pid');

    const second = await bench.open();

    expect(await ask(second.url, 'SELECT value FROM saved')).toBe(42);
  });

  it('shares one server if a long path moves the socket to another directory', async () => {
    const long = await ClusterBench.create({ subdirectory: 'x'.repeat(100) });
    try {
      const { url } = await long.open();
      const service = await long.startService();
      expect(service.url).toBe(url);
      expect(await ask(url, 'SELECT 1')).toBe(1);
      expect(url).not.toContain('xxx');
    } finally {
      await long.dispose();
    }
  });

  it('runs in a directory that no other user can enter, and keeps the data if the mode changes', async () => {
    await chmod(dirname(bench.dataDir), 0o700);
    const first = await bench.open();
    await ask(first.url, 'CREATE TABLE saved AS SELECT 42 AS value');
    await first.release();

    await chmod(dirname(bench.dataDir), 0o755);
    const second = await bench.open();
    expect(await ask(second.url, 'SELECT value FROM saved')).toBe(42);
    await second.release();

    await chmod(dirname(bench.dataDir), 0o700);
    expect(await ask((await bench.open()).url, 'SELECT value FROM saved')).toBe(42);
  });

  it('rejects a cluster of another major version and names both versions', async () => {
    await (await bench.open()).release();
    await writeFile(join(bench.dataDir, 'postgres', 'PG_VERSION'), '17\n');

    await expect(bench.open()).rejects.toThrow(
      /was made by PostgreSQL 17; the embedded one is 18\..*DATABASE_URL/,
    );
  });

  it('throws with the output of the server if it does not start', async () => {
    await (await bench.open()).release();
    await writeFile(join(bench.dataDir, 'postgres', 'postgresql.conf'), 'no_such_setting = 1\n');

    await expect(bench.open()).rejects.toThrow(
      /did not start \(status 1\):[^]*unrecognized configuration parameter "no_such_setting"/,
    );
  });
});
