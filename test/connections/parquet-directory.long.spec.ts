import { randomUUID } from 'node:crypto';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DELETION_MODES,
  type TargetColumn,
  type TargetTable,
  type TargetWriter,
} from '../../src/destinations/destination';
import type { FileSet } from '../../src/destinations/files/file-catalog';
import { FileTableWriter } from '../../src/destinations/files/file-table-writer';
import { DirectoryStorage } from '../../src/destinations/parquet/directory-storage';
import { DocumentCatalog } from '../../src/destinations/parquet/document-catalog';
import { SEED, seededRandom, withSeed } from '../support/seeded-random';
import { type Cell, csv, deleted, row, set } from './contract-lines';
import { inFile } from './duckdb-files';
import { destinationFor, readParquetTable } from './parquet-files';

const name: TargetColumn = { id: 1, name: 'name', type: 'text' };
const MAX_ROWS = 20;
const OLD_MS = 7 * 3_600_000;

let directory: string;
const writers = new Set<TargetWriter>();

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'parquet-directory-'));
});

afterEach(async () => {
  jest.restoreAllMocks();
  for (const writer of writers) await writer.close();
  writers.clear();
  await rm(directory, { recursive: true, force: true });
});

const newTable = (deletions: TargetTable['deletions'] = 'delete'): TargetTable => ({
  id: randomUUID(),
  name: 'orders',
  deletions,
});

const catalogOf = (table: TargetTable): DocumentCatalog =>
  new DocumentCatalog(new DirectoryStorage(join(directory, 'orders'), 'orders', 'orders'), table);

/** Opens a table whose files have few rows. */
async function open(table: TargetTable, token: number): Promise<FileTableWriter> {
  const writer = new FileTableWriter(
    catalogOf(table),
    table,
    {
      workDirectory: directory,
      prefix: '_work-',
      ownPrefix: '_work-',
      memoryBytes: 2 ** 28,
      requireRoom: () => Promise.resolve(),
      requireSpace: () => Promise.resolve(),
      maxSpillBytes: 1024 ** 3,
    },
    { rows: MAX_ROWS, bytes: 2 ** 20 },
  );
  writers.add(writer);
  await writer.claim(token);
  return writer;
}

async function load(table: TargetTable, ids: readonly number[]): Promise<FileTableWriter> {
  const writer = await open(table, 1);
  await writer.beginLoad([name], 'begun');
  const lines = ids.map((id) => row(id, 1, `name ${String(id)}`));
  await writer.append([name], csv(lines), 'appended');
  await writer.finishLoad([name], 'loaded');
  return writer;
}

const idsTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);

async function filesOf(table: TargetTable): Promise<FileSet['files']> {
  return (await catalogOf(table).read())?.table?.files ?? [];
}

const dataFiles = async (): Promise<string[]> =>
  (await readdir(join(directory, 'orders'))).filter((each) => each.endsWith('.parquet'));

/** Returns the ids, revisions and names that readers see, of rows that exist. */
async function read(): Promise<readonly unknown[]> {
  const rows = (await readParquetTable(join(directory, 'orders'), true)) ?? [];
  return rows
    .filter(
      (each) => (each['_deleted_at'] ?? null) === null && (each['_valid_to'] ?? null) === null,
    )
    .map((each) => [each['_id'], each['_revision'], each['name']]);
}

describe('a table of many files', () => {
  it('writes only the files anew whose rows change', async () => {
    const table = newTable();
    const writer = await load(table, idsTo(100));
    const before = await filesOf(table);
    expect(before.map(({ fromId, toId, rows }) => [fromId, toId, rows])).toEqual([
      [1, 20, 20],
      [21, 40, 20],
      [41, 60, 20],
      [61, 80, 20],
      [81, 100, 20],
    ]);
    await writer.merge([name], csv([set(50, 2, 'x'), deleted(70, 3, [name])]), 'merged');
    const after = await filesOf(table);
    expect(after.map(({ rows }) => rows)).toEqual([20, 20, 20, 19, 20]);
    const kept = after.filter((file) => before.some((each) => each.name === file.name));
    expect(kept.map(({ fromId }) => fromId)).toEqual([1, 21, 81]);
    await writer.merge([name], csv([deleted(101, 4, [name]), deleted(70, 5, [name])]), 'nothing');
    expect((await filesOf(table)).map((file) => file.name).slice(0, 3)).toEqual(
      after.map((file) => file.name).slice(0, 3),
    );
  });

  it('puts new rows into the last file until it is half full, and then into another one', async () => {
    const table = newTable();
    const writer = await load(table, idsTo(2));
    const counts: number[][] = [];
    for (const id of [3, 11, 19, 27]) {
      const lines = idsTo(8).map((n) => set(id + n - 1, 2, 'new'));
      await writer.merge([name], csv(lines), String(id));
      counts.push((await filesOf(table)).map(({ rows }) => rows));
    }
    expect(counts).toEqual([[10], [10, 8], [10, 16], [10, 16, 8]]);
  });

  it('joins the small parts of a load', async () => {
    const table = newTable();
    const writer = await open(table, 1);
    await writer.beginLoad([name], 'begun');
    for (const id of idsTo(40)) await writer.append([name], csv([row(id, 1, 'a')]), String(id));
    await writer.finishLoad([name], 'loaded');
    const files = await filesOf(table);
    expect(files.reduce((sum, { rows }) => sum + rows, 0)).toBe(40);
    expect(files.length).toBeLessThan(8);
  }, 120_000);

  it('has a file without rows if all rows are deleted, so that readers find the columns', async () => {
    const table = newTable();
    const writer = await load(table, [1, 2]);
    await writer.merge([name], csv([1, 2].map((id) => deleted(id, 2, [name]))), 'merged');
    await expect(read()).resolves.toEqual([]);
    expect((await filesOf(table)).map(({ rows }) => rows)).toEqual([0]);
    await writer.merge([name], csv([set(7, 3, 'b')]), 'again');
    await expect(read()).resolves.toEqual([[7, 3, 'b']]);
  });

  it.each(DELETION_MODES)(
    'has the rows of a model after random steps, in mode %s',
    (mode) =>
      withSeed(async () => {
        const below = seededRandom(SEED);
        const table = newTable(mode);
        const model = new Map<number, readonly [number, string]>();
        let revision = 1;
        let last = 60;
        const writer = await load(table, idsTo(last));
        for (const id of idsTo(last)) model.set(id, [1, `name ${String(id)}`]);
        const randomIds = (max: number): number[] => [
          ...new Set(Array.from({ length: 1 + below(12) }, () => 1 + below(max))),
        ];
        for (let step = 0; step < 25; step += 1) {
          const text = `step ${String(step)}`;
          const kind = below(8);
          if (kind < 5) {
            last += below(10);
            const lines = randomIds(last).map((id): Cell[] => {
              revision += 1;
              const isDeleted = below(3) === 0;
              if (isDeleted) model.delete(id);
              else model.set(id, [revision, text]);
              return isDeleted ? deleted(id, revision, [name]) : set(id, revision, text);
            });
            await writer.merge([name], csv(lines), text);
          } else if (kind < 7) {
            const from = 1 + below(last);
            const to = from + below(30);
            const ids = idsTo(to - from + 1).map((n) => from + n - 1);
            const kept = ids.filter(() => below(2) === 0);
            for (const id of ids) model.delete(id);
            for (const id of kept) model.set(id, [1, text]);
            const lines = kept.map((id) => row(id, 1, text));
            await writer.replace([name], { from, to }, csv(lines), text);
            last = Math.max(last, to);
          } else {
            await writer.beginLoad([name], text);
            model.clear();
            const ids = idsTo(last).filter(() => below(3) > 0);
            const middle = below(ids.length);
            for (const part of [ids.slice(0, middle), ids.slice(middle)]) {
              const lines = part.map((id) => row(id, revision, text));
              await writer.append([name], csv(lines), text);
            }
            for (const id of ids) model.set(id, [revision, text]);
            await writer.finishLoad([name], text);
          }
          const right = [...model].sort(([one], [other]) => one - other);
          expect([text, kind, await read()]).toEqual([
            text,
            kind,
            right.map(([id, [at, value]]) => [id, at, value]),
          ]);
          const files = await filesOf(table);
          for (const [index, { fromId, toId, rows }] of files.entries()) {
            expect(fromId).toBeGreaterThan(files[index - 1]?.toId ?? -1);
            expect(toId).toBeGreaterThanOrEqual(fromId);
            if (mode === 'delete') expect(rows).toBeLessThanOrEqual(2 * MAX_ROWS);
          }
        }
        const sums = await writer.sumBlocks();
        expect(sums.reduce((sum, { rows }) => sum + rows, 0)).toBe(model.size);
      }),
    120_000,
  );
});

describe('the directory of a table', () => {
  it('lets one of two workers replace a document', async () => {
    const table = newTable();
    await load(table, [1]);
    const catalogs = idsTo(8).map(() => catalogOf(table));
    const bases = await Promise.all(catalogs.map((catalog) => catalog.read()));
    const results = await Promise.allSettled(
      catalogs.map((catalog, index) => {
        const base = bases[index] ?? null;
        if (base === null) throw new Error('There is no version.');
        return catalog.commit(base, { ...base, state: String(index) });
      }),
    );
    const stored = results.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []));
    expect(stored).toHaveLength(1);
    expect((await catalogOf(table).read())?.state).toBe(String(stored[0]));
    const manifest = await readFile(join(directory, 'orders/_manifest.json'), 'utf8');
    expect(JSON.parse(manifest)).toMatchObject({ sync: { state: String(stored[0]) } });
  });

  it('rejects the document of a worker that is late, also if its number is free again', async () => {
    const table = newTable();
    const writer = await load(table, [1]);
    const late = catalogOf(table);
    const base = await late.read();
    await writer.merge([name], csv([set(2, 2, 'b')]), 'merged');
    await writer.merge([name], csv([set(3, 3, 'c')]), 'merged again');
    const versions = join(directory, 'orders/_versions');
    for (const each of (await readdir(versions)).sort().slice(0, -1))
      await rm(join(versions, each));
    if (base === null) throw new Error('There is no version.');
    await expect(late.commit(base, { ...base, state: 'late' })).rejects.toThrow('another worker');
    expect((await catalogOf(table).read())?.state).toBe('merged again');
    await expect(read()).resolves.toHaveLength(3);
  });

  it('keeps replaced files for readers that have begun, and deletes them later', async () => {
    const table = newTable();
    const writer = await load(table, idsTo(10));
    const [first] = await dataFiles();
    await writer.merge([name], csv([set(1, 2, 'b')]), 'merged');
    expect(await dataFiles()).toHaveLength(2);
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 16 * 60_000);
    await writer.merge([name], csv([set(1, 3, 'c')]), 'merged again');
    const left = await dataFiles();
    expect(left).not.toContain(first);
    expect(left).toHaveLength(2);
  });

  it('deletes old files that no document lists, and no younger ones', async () => {
    const table = newTable();
    await (await load(table, idsTo(10))).close();
    const [old, young] = [`${randomUUID()}.parquet`, `${randomUUID()}.parquet`];
    const other = 'mine.parquet';
    for (const each of [old, young, other]) await writeFile(join(directory, 'orders', each), 'x');
    const at = new Date(Date.now() - OLD_MS);
    for (const each of [old, other, ...(await dataFiles())]) {
      if (each !== young) await utimes(join(directory, 'orders', each), at, at);
    }
    await open(table, 2);
    expect(await dataFiles()).toEqual(expect.arrayContaining([young, other]));
    expect(await dataFiles()).not.toContain(old);
    await expect(read()).resolves.toHaveLength(10);
  });

  it('removes its work directory, and those that processes have left behind', async () => {
    const left = join(directory, `_work-${randomUUID()}`);
    await writeFile(left, '');
    const at = new Date(Date.now() - OLD_MS);
    await utimes(left, at, at);
    const writer = await load(newTable(), [1]);
    await writer.close();
    expect(await readdir(directory)).toEqual(['orders']);
    // No other user of the machine can read it.
    expect((await stat(join(directory, 'orders'))).mode & 0o777).toBe(0o700);
  });

  it('must be loaded again if a file has an id more often than a row can have it', async () => {
    const table = newTable();
    const writer = await load(table, idsTo(MAX_ROWS));
    const [own] = await filesOf(table);
    await writer.close();
    const path = join(directory, 'orders', own?.name ?? '');
    await inFile(':memory:', (connection) =>
      connection.run(`COPY (SELECT * REPLACE (1::BIGINT AS _id) FROM read_parquet('${path}'))
        TO '${path}.other' (FORMAT parquet)`),
    );
    await rename(`${path}.other`, path);
    // The document says so, too.
    const { size } = await stat(path);
    const versions = join(directory, 'orders', '_versions');
    for (const each of await readdir(versions)) {
      const text = await readFile(join(versions, each), 'utf8');
      const edited = text.replaceAll(`"bytes":${String(own?.bytes)}`, `"bytes":${String(size)}`);
      await writeFile(join(versions, each), edited);
    }
    const next = await open(table, 2);
    await expect(next.readRevisions({ from: 0, to: 9 })).rejects.toMatchObject({
      kind: 'inconsistent',
      message: 'A data file was changed or replaced. The table must be loaded again.',
    });
    await expect(next.readRevisions({ from: 0, to: MAX_ROWS })).resolves.toHaveLength(MAX_ROWS);
  });

  it('removes no DuckDB file of the account, whatever its name is', async () => {
    const accountId = randomUUID();
    const file = join(directory, accountId, '_work-orders.duckdb');
    await mkdir(join(directory, accountId));
    await writeFile(file, 'x');
    const at = new Date(Date.now() - OLD_MS);
    await utimes(file, at, at);
    const writer = await destinationFor({ directory, accountId }).open(newTable());
    writers.add(writer);
    await writer.claim(1);
    await writer.beginLoad([name], 'begun');
    await writer.append([name], csv([row(1, 1, 'a')]), 'appended');
    expect(await readFile(file, 'utf8')).toBe('x');
  });
});
