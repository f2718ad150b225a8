import { execFile, type ExecFileOptions } from 'node:child_process';
import { chmod, lchown, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NOBODY, isOwnUser } from './own-user';
import { ask, ClusterBench } from './testing/cluster-bench';

// Each test creates its own cluster and flushes all of its files to disk.
jest.setTimeout(240_000);

/** Connects as `app` and prints the outcome. */
const CONNECT = `
const { Client } = require(process.argv[1]);
const client = new Client({ connectionString: process.argv[2] });
client.connect().then(() => console.log('connected'), (error) => console.log(error.code)).finally(() => process.exit());`;

const PG = require.resolve('pg');

async function output(program: string, args: string[], options: ExecFileOptions): Promise<string> {
  const run = promisify(execFile)(program, args, { ...options, encoding: 'utf8', cwd: '/' });
  return run.then(
    ({ stdout }) => stdout.trim(),
    // Of a program that cannot be started, the message alone says why.
    (error: unknown) =>
      `failed: ${(error as Error).message} ${(error as { stderr?: string }).stderr ?? ''}`.trim(),
  );
}

const connectAsNobody = (url: string): Promise<string> =>
  output(process.execPath, ['-e', CONNECT, PG, url], NOBODY);

const describeAsRoot = process.getuid?.() === 0 ? describe : describe.skip;

describeAsRoot('the embedded PostgreSQL of a service that runs as root', () => {
  let bench: ClusterBench;

  beforeEach(async () => {
    bench = await ClusterBench.create();
  });

  afterEach(async () => {
    await bench.dispose();
  });

  const socketDir = (): string => join(bench.dataDir, 'postgres-socket');
  const clusterDir = (): string => join(bench.dataDir, 'postgres');

  it('runs as a user of its own', async () => {
    await bench.open();

    const { uid, gid } = await stat(`/proc/${String(await bench.serverPid())}`);
    expect([isOwnUser(uid), gid]).toEqual([true, uid]);
    for (const name of ['', 'postgresql.conf', 'base', 'pg_hba.conf']) {
      expect((await stat(join(clusterDir(), name))).uid).toBe(uid);
    }
  });

  it('denies other users access to its socket and files', async () => {
    const { url } = await bench.open();

    expect(await ask(url, 'SELECT current_user')).toBe('app');
    expect(await connectAsNobody(url)).toBe('EACCES');
    for (const directory of [clusterDir(), socketDir()]) {
      expect(await output('ls', [directory], NOBODY)).toMatch(/^failed: [^]*Permission denied/);
    }
  });

  it('rejects other users even if everybody can enter the directory of the socket', async () => {
    const { url } = await bench.open();
    await chmod(socketDir(), 0o755);
    try {
      expect(await connectAsNobody(url)).toBe('28000');
      expect(await ask(url, 'SELECT current_user')).toBe('app');
    } finally {
      await chmod(socketDir(), 0o700);
    }
  });

  it('takes over the cluster of an earlier release, which ran as nobody and trusted all users', async () => {
    const first = await bench.open();
    await ask(first.url, 'CREATE TABLE saved AS SELECT 42 AS value');
    await first.release();
    await writeFile(join(clusterDir(), 'pg_hba.conf'), 'local all all trust\n');
    for (const directory of [clusterDir(), socketDir()]) {
      for (const name of ['', ...(await readdir(directory, { recursive: true }))]) {
        await lchown(join(directory, name), NOBODY.uid, NOBODY.gid);
      }
    }

    const second = await bench.open();

    expect(await ask(second.url, 'SELECT value FROM saved')).toBe(42);
    const { uid } = await stat(`/proc/${String(await bench.serverPid())}`);
    expect(isOwnUser(uid)).toBe(true);
    expect((await stat(join(clusterDir(), 'base'))).uid).toBe(uid);
    expect(await readFile(join(clusterDir(), 'pg_hba.conf'), 'utf8')).not.toContain('trust');
    expect(await connectAsNobody(second.url)).toBe('EACCES');
  });
});
