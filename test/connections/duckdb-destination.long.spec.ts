import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { AppError } from '../../src/common/error/app-error';
import type {
  CsvLines,
  Destination,
  TargetColumn,
  TargetTable,
  TargetWriter,
} from '../../src/destinations/destination';
import { DuckdbDestination } from '../../src/destinations/duckdb/duckdb-destination';
import { DuckdbFiles } from '../../src/destinations/duckdb/duckdb-file';
import { DuckdbKind } from '../../src/destinations/duckdb/duckdb-kind';
import { readConfig } from '../../src/platform/config/app-config';
import { eventually } from '../support/eventually';
import { csv } from './contract-lines';
import { createFiles, holdFile, inFile, readTable, type TestFiles } from './duckdb-files';

const name: TargetColumn = { id: 1, name: 'name', type: 'text' };
const table = (): TargetTable => ({ id: randomUUID(), name: 'orders', deletions: 'delete' });

let files: TestFiles;
let accountId: string;

beforeAll(async () => {
  files = await createFiles();
});

beforeEach(() => {
  accountId = randomUUID();
});

afterAll(() => files.remove());

function destination(account = accountId, kind = files.kind): Destination {
  const settings = { file: 'sales' };
  return kind.create({ accountId: account, connectionId: randomUUID(), settings, secret: null });
}

async function load(target: TargetTable, account = accountId): Promise<TargetWriter> {
  const writer = await destination(account).open(target);
  await writer.claim(1);
  await writer.beginLoad([name], 'begun');
  await writer.append([name], csv([['1', '1', 'a']]), 'appended');
  await writer.finishLoad([name], 'loaded');
  return writer;
}

/** Returns the processes that this one has started. */
async function children(): Promise<number[]> {
  const { readFile } = await import('node:fs/promises');
  const pid = String(process.pid);
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

describe('a file of DuckDB', () => {
  it('is in the directory of its account, so that accounts can use the same name', async () => {
    const other = randomUUID();
    const target = table();
    await (await load(target)).close();
    const writer = await destination(other).open(target);
    await expect(writer.claim(1)).resolves.toBeNull();
    await writer.close();
    await expect(readTable(files.workPath(accountId), 'orders')).resolves.toHaveLength(1);
    await expect(readTable(files.workPath(other), 'orders')).resolves.toBeNull();
    // No other user of the machine can read it.
    expect((await stat(dirname(files.path(accountId)))).mode & 0o777).toBe(0o700);
  });

  it('leaves nothing behind after a test without a file', async () => {
    await destination().test();
    await expect(stat(dirname(files.path(accountId)))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is a copy that others can read at any time, also while it is written and replaced', async () => {
    const writer = await load(table());
    const path = files.path(accountId);
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
    await writer.publishSnapshot?.();
    const reader = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
    const connection = await reader.connect();
    const count = async (on: DuckDBConnection): Promise<unknown> =>
      (await on.runAndReadAll('SELECT count(*)::INT FROM orders')).getRowsJson()[0]?.[0];
    await writer.merge([name], csv([['2', '2', 'false', 'b']]), 'merged');
    await expect(count(connection)).resolves.toBe(1);
    const { ino } = await stat(path);
    await writer.publishSnapshot?.();
    // The reader keeps what it has opened, and others see the new content.
    await expect(count(connection)).resolves.toBe(1);
    const copy = join(dirname(path), 'other.duckdb');
    await cp(path, copy);
    await inFile(copy, async (other) => {
      await expect(count(other)).resolves.toBe(2);
    });
    await rm(copy);
    expect((await stat(path)).ino).not.toBe(ino);
    // Nothing has changed since.
    const published = await stat(path);
    await writer.publishSnapshot?.();
    expect((await stat(path)).ino).toBe(published.ino);
    connection.closeSync();
    reader.closeSync();
    await writer.close();
    const names = ['sales.duckdb', 'sales.duckdb.sync'];
    await expect(readdir(dirname(path))).resolves.toEqual(names);
  });

  it('cannot be written by others, whose changes would be lost', async () => {
    const writer = await load(table());
    await writer.publishSnapshot?.();
    await writer.close();
    expect((await stat(files.path(accountId))).mode & 0o222).toBe(0);
  });

  it('is published whole while another table of the file is written', async () => {
    const writer = await load(table());
    const other = await load({ ...table(), name: 'customers' });
    let published: Promise<void> | undefined;
    async function* rows(): CsvLines {
      for (let id = 1; id <= 20_000; id += 1) {
        if (id === 5_000) published = other.publishSnapshot?.();
        yield* csv([[String(id), '2', 'false', 'x'.repeat(200)]]);
      }
    }
    await Promise.all([
      writer.merge([name], rows(), 'merged'),
      other.merge([name], csv([['2', '2', 'false', 'b']]), 'merged'),
    ]);
    await published;
    await expect(readTable(files.path(accountId), 'customers')).resolves.not.toBeNull();
    await writer.publishSnapshot?.();
    await expect(readTable(files.path(accountId), 'orders')).resolves.toHaveLength(20_000);
    await Promise.all([writer.close(), other.close()]);
  });

  it('of an earlier release, which the service wrote itself, keeps its rows and its log', async () => {
    const target = table();
    await (await load(target)).close();
    // As an earlier release left it behind when it was killed.
    await rename(files.workPath(accountId), files.path(accountId));
    const holder = await holdFile(files.path(accountId));
    await expect(destination().open(target)).rejects.toThrow('open in another program');
    const ended = once(holder, 'exit');
    holder.kill('SIGKILL');
    await ended;
    const writer = await destination().open(target);
    await expect(writer.claim(2)).resolves.toBe('loaded');
    await writer.merge([name], csv([['2', '2', 'false', 'b']]), 'merged');
    await writer.publishSnapshot?.();
    await writer.close();
    await expect(readTable(files.path(accountId), 'orders')).resolves.toHaveLength(2);
    // Without its work file, the copy is the beginning of another one.
    await rm(files.workPath(accountId));
    const next = await destination().open(target);
    await expect(next.claim(3)).resolves.toBe('merged');
    await next.close();
  });

  it('is unavailable while another program has it open', async () => {
    const target = table();
    await (await load(target)).close();
    const holder = await holdFile(files.workPath(accountId));
    try {
      const opened = destination().open(target);
      await expect(opened).rejects.toMatchObject({ kind: 'unavailable' });
      await expect(opened).rejects.toThrow('The file is open in another program.');
      await expect(destination().test()).rejects.toMatchObject({ kind: 'unavailable' });
    } finally {
      const ended = once(holder, 'exit');
      holder.kill('SIGKILL');
      await ended;
    }
    const writer = await destination().open(target);
    await expect(writer.claim(2)).resolves.toBe('loaded');
    await writer.close();
  });

  it('is tested again while another process has it open, as a sync of another worker', async () => {
    const target = table();
    await (await load(target)).close();
    const holder = await holdFile(files.workPath(accountId));
    const startedAtMs = performance.now();
    await expect(destination().open(target)).rejects.toMatchObject({ kind: 'unavailable' });
    const attemptMs = performance.now() - startedAtMs;
    let isOver = false;
    const tested = destination()
      .test()
      .finally(() => {
        isOver = true;
      });
    const triedAtMs = performance.now();
    await eventually(() => performance.now() - triedAtMs > 2 * attemptMs);
    expect(isOver).toBe(false);
    const ended = once(holder, 'exit');
    holder.kill('SIGKILL');
    await ended;
    await expect(tested).resolves.toBeUndefined();
  });

  it('is a wrong configuration if it is not a database', async () => {
    const path = files.path(accountId);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, 'This is a letter, not a database.'.repeat(1_000));
    await expect(destination().test()).rejects.toMatchObject({ kind: 'configuration' });
    const opened = destination().open(table());
    await expect(opened).rejects.toThrow('The file is not a DuckDB database');
  });

  it.each(['main', 'temp', 'system', 'memory', 'pg_catalog', '_', '-'])(
    'can have the name %s',
    async (file) => {
      const settings = files.kind.readSettings({ file });
      const used = files.kind.create({ accountId, connectionId: '', settings, secret: null });
      const writer = await used.open(table());
      await writer.claim(1);
      await writer.beginLoad([name], 'begun');
      await writer.append([name], csv([['1', '1', 'a']]), 'appended');
      await writer.finishLoad([name], 'loaded');
      await expect(writer.sumBlocks()).resolves.toEqual([
        { block: 0, rows: 1, ids: '1', revisions: '1' },
      ]);
      await writer.close();
    },
  );
});

describe('the process of a file', () => {
  it('ends with the last writer', async () => {
    const before = await children();
    const first = await load(table());
    const second = await destination().open({ ...table(), name: 'customers' });
    const during = (await children()).filter((pid) => !before.includes(pid));
    expect(during).toHaveLength(1);
    await first.close();
    expect(await children()).toEqual(expect.arrayContaining(during));
    await second.close();
    expect((await children()).filter((pid) => during.includes(pid))).toEqual([]);
  });

  it('fails its calls as unavailable if it is killed, and is started again', async () => {
    const target = table();
    const before = await children();
    const writer = await load(target);
    const [pid = 0] = (await children()).filter((child) => !before.includes(child));
    let given = 0;
    async function* endless(): CsvLines {
      for (;;) {
        if (given === 100) process.kill(pid, 'SIGKILL');
        given += 1;
        yield* csv([[String(given), '1', 'false', 'b']]);
      }
    }
    await expect(writer.merge([name], endless(), 'merged')).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('has ended unexpectedly'),
    });
    await expect(writer.exists()).rejects.toMatchObject({ kind: 'unavailable' });
    // Another writer need not wait until this one is closed.
    const next = await destination().open(target);
    await expect(next.claim(2)).resolves.toBe('loaded');
    await writer.close();
    await expect(next.exists()).resolves.toBe(true);
    await next.close();
    await expect(readdir(dirname(files.path(accountId)))).resolves.toEqual(['sales.duckdb.sync']);
  });

  it('rolls back a change whose writer is closed', async () => {
    const target = table();
    const writer = await load(target);
    let given = 0;
    async function* endless(): CsvLines {
      for (;;) {
        if (given === 100) void writer.close();
        given += 1;
        yield* csv([[String(given), '1', 'false', 'b']]);
      }
    }
    await expect(writer.merge([name], endless(), 'merged')).rejects.toThrow(
      'The sync was stopped.',
    );
    const next = await destination().open(target);
    await expect(next.claim(2)).resolves.toBe('loaded');
    await next.close();
  });

  it('cannot read files other than its lines', async () => {
    const target = table();
    const writer = await load(target);
    const wrong: TargetColumn = {
      id: 2,
      name: "x' FROM read_text('/etc/passwd') --",
      type: 'text',
    };
    const added = writer.changeColumns({ removed: [], widened: [], added: [wrong] }, 'changed');
    await expect(added).resolves.toBeUndefined();
    await writer.merge([name, wrong], csv([['1', '2', 'false', 'a', 'b']]), 'merged');
    await writer.close();
    await expect(readTable(files.workPath(accountId), 'orders')).resolves.toEqual([
      { _id: 1, _revision: 2, name: 'a', [wrong.name]: 'b' },
    ]);
  });

  it('takes rows of several MB, and texts that look like lines', async () => {
    const fake = Array.from({ length: 60_000 }, (_, n) => `${String(n)},1,evil`).join('\n');
    const texts = Array.from({ length: 12 }, (_, n) =>
      n === 5 ? `"${'é\n"",'.repeat(900_000)}` : `${fake.slice(n)}"`,
    );
    const writer = await load(table());
    const lines = texts.map((text, n) => [String(n + 10), '1', text]);
    await writer.beginLoad([name], 'again');
    await writer.append([name], csv(lines), 'appended');
    await writer.finishLoad([name], 'loaded');
    await writer.close();
    const rows = (await readTable(files.workPath(accountId), 'orders')) ?? [];
    expect(rows.map((row) => row['_id'])).toEqual(texts.map((_, n) => n + 10));
    expect(rows.map((row) => row['name'] === texts[Number(row['_id']) - 10])).not.toContain(false);
  });

  it('lets another worker claim a table during a change, which then fails', async () => {
    const target = table();
    const writer = await load(target);
    const other = await destination().open(target);
    let hasClaimed = false;
    async function* rows(): CsvLines {
      yield* csv([['2', '1', 'false', 'b']]);
      await expect(other.claim(2)).resolves.toBe('loaded');
      hasClaimed = true;
    }
    await expect(writer.merge([name], rows(), 'merged')).rejects.toMatchObject({ token: 2 });
    expect(hasClaimed).toBe(true);
    await expect(other.exists()).resolves.toBe(true);
    await writer.close();
    await other.close();
  });

  it('writes several tables of a file at a time', async () => {
    const targets = ['a', 'b', 'c', 'd'].map((text) => ({ ...table(), name: text }));
    const writers = await Promise.all(targets.map((target) => load(target)));
    await Promise.all(writers.map((writer) => writer.close()));
    for (const { name: each } of targets) {
      await expect(readTable(files.workPath(accountId), each)).resolves.toHaveLength(1);
    }
  });

  it('stops at the maximum size of the files of an account, and goes on if it is raised', async () => {
    const own = randomUUID();
    const open = (bytes: string): Promise<TargetWriter> => {
      const settings = { CONNECTION_FILES_DIR: files.directory, MAX_CONNECTION_FILES_BYTES: bytes };
      return destination(own, new DuckdbKind(readConfig(settings))).open(target);
    };
    const target = table();
    const writer = await open('1');
    await writer.claim(1);
    await writer.beginLoad([name], 'begun');
    const tooMuch = writer.append([name], csv([['1', '1', 'a']]), 'appended');
    await expect(tooMuch).rejects.toMatchObject({ kind: 'configuration' });
    await expect(tooMuch).rejects.toThrow('The files of this account have their maximum size');
    await writer.close();
    const other = await open('1000000000');
    await expect(other.claim(2)).resolves.toBe('begun');
    await other.append([name], csv([['1', '1', 'a']]), 'appended');
    await other.close();
  });

  it('says which package is missing', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'duckdb-missing-'));
    try {
      const source = join(__dirname, '../../src/destinations');
      await cp(source, directory, { recursive: true });
      const program = join(directory, 'duckdb/duckdb-process.ts');
      const without = new DuckdbFiles({ memoryBytes: 2 ** 28, program });
      const tested = new DuckdbDestination(without, files.path(accountId), Infinity).test();
      await expect(tested).rejects.toMatchObject({ kind: 'configuration' });
      await expect(tested).rejects.toThrow('npm package @duckdb/node-api');
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});

describe('the kind of DuckDB files', () => {
  it.each([
    '../sales',
    '/etc/passwd',
    'a/b',
    'a\\b',
    '..',
    '.',
    '',
    'sales.duckdb',
    'Sales',
    'a b',
    'a\0',
    'a\n',
    ':memory:',
    "a'",
    'é',
    'x'.repeat(65),
  ])('rejects the name %j', (file) => {
    expect(() => files.kind.readSettings({ file })).toThrow(AppError);
    const target = { accountId, connectionId: '', settings: { file }, secret: null };
    expect(() => files.kind.create(target)).toThrow(AppError);
  });

  it('names the settings that are wrong', () => {
    const detailsOf = (settings: Record<string, unknown>): unknown => {
      try {
        return files.kind.readSettings(settings);
      } catch (error) {
        return (error as AppError).details;
      }
    };
    expect(detailsOf({ file: 'sales_2-b' })).toEqual({ file: 'sales_2-b' });
    expect(detailsOf({ path: 'a' })).toEqual([
      expect.objectContaining({ field: 'settings.path', code: 'unknown_property' }),
      expect.objectContaining({ field: 'settings.file', code: 'required' }),
    ]);
    expect(detailsOf({ file: 1 })).toEqual([
      expect.objectContaining({ field: 'settings.file', code: 'wrong_type' }),
    ]);
    expect(detailsOf({ file: 'a/b' })).toEqual([
      expect.objectContaining({ field: 'settings.file', code: 'invalid_format' }),
    ]);
  });

  it('needs a directory of the operator, except with the embedded PostgreSQL', async () => {
    const external = readConfig({ DATABASE_URL: 'postgres://user@localhost/data' });
    expect(() => destination(accountId, new DuckdbKind(external))).toThrow(
      'DuckDB files are not enabled by the operator.',
    );
    const embedded = new DuckdbKind(readConfig({ DATA_DIR: files.directory }));
    const writer = await destination(accountId, embedded).open(table());
    await writer.close();
    const path = join(files.directory, 'connections', accountId, 'sales.duckdb.sync');
    expect((await stat(path)).isFile()).toBe(true);
  });
});
