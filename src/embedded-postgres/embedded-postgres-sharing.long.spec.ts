import { readdir } from 'node:fs/promises';
import { ask, ClusterBench } from './testing/cluster-bench';
import { waitFor } from './testing/wait-for';

// Each test creates its own cluster and flushes all of its files to disk.
jest.setTimeout(120_000);

describe('a shared embedded PostgreSQL', () => {
  let bench: ClusterBench;

  beforeEach(async () => {
    bench = await ClusterBench.create();
  });

  afterEach(async () => {
    await bench.dispose();
  });

  it('stops when the last process releases it', async () => {
    const first = await bench.startService();
    const pid = await bench.serverPid();
    const second = await bench.startService();

    expect(second.url).toBe(first.url);
    expect(await first.release()).toBe(0);
    expect(await bench.serverPid()).toBe(pid);
    expect(await ask(second.url, 'SELECT 1')).toBe(1);

    expect(await second.release()).toBe(0);
    expect(await bench.serverPid()).toBeNull();
  });

  it('tells other processes the URL of the service until it is released', async () => {
    const [service, command] = [await bench.open(), await bench.open()];
    expect(await command.findServiceUrl()).toBeNull();
    const [long, origin] = [`https://${'a'.repeat(60)}.example.com`, 'http://localhost:3001'];

    await service.announce(['https://data.example.com', origin]);
    expect(await command.findServiceUrl()).toBe('https://data.example.com');
    // PostgreSQL would cut it off.
    await service.announce([long, origin]);
    expect(await command.findServiceUrl()).toBe(origin);

    await service.release();
    await waitFor('one share', async () => (await command.findServiceUrl()) === null);
  });

  it('stops once if several shares are released at the same time', async () => {
    const shares = await Promise.all([bench.open(), bench.open(), bench.open()]);

    await Promise.all(shares.map((share) => share.release()));

    expect(await bench.serverPid()).toBeNull();
  });

  it('starts once if several processes open it at the same time', async () => {
    const started = await Promise.all([
      bench.startService(),
      bench.startService(),
      bench.open(),
      bench.open(),
    ]);

    const starts = started.map(({ url }) => ask(url, 'SELECT pg_postmaster_start_time()::text'));
    expect(new Set(await Promise.all(starts)).size).toBe(1);
    expect((await readdir(bench.dataDir)).sort()).toEqual([
      'postgres',
      'postgres-socket',
      'postgres.log',
    ]);
  });

  it('keeps running for the next process after its only process was killed', async () => {
    const service = await bench.startService();
    await ask(service.url, 'CREATE TABLE saved AS SELECT 42 AS value');
    const pid = await bench.serverPid();
    await service.kill();

    const heir = await bench.open();

    expect(await bench.serverPid()).toBe(pid);
    expect(await ask(heir.url, 'SELECT value FROM saved')).toBe(42);
    await heir.release();
    expect(await bench.serverPid()).toBeNull();
  });

  it('stops with the last process even if another one was killed', async () => {
    const killed = await bench.startService();
    const left = await bench.open();
    await killed.kill();
    // The server takes a moment to end the killed process's session.
    await waitFor('one share', async () => (await ask(left.url, COUNT_SHARES)) === 1);

    await left.release();

    expect(await bench.serverPid()).toBeNull();
  });

  it('shuts down completely before it starts again', async () => {
    const leaving = await bench.open();
    const pid = await bench.serverPid();
    // A smart shutdown waits until all sessions have ended, here until `leaving` is released.
    process.kill(pid ?? NaN, 'SIGTERM');
    await waitFor('the shutdown to begin', async () => {
      return ask(leaving.url, 'SELECT 1').then(
        () => false,
        () => true,
      );
    });
    const coming = bench.open();
    await leaving.release();

    expect(await ask((await coming).url, 'SELECT 1')).toBe(1);
    expect(await bench.serverPid()).not.toBe(pid);
  });
});

const COUNT_SHARES = `
  SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'embedded-postgres-share'`;
