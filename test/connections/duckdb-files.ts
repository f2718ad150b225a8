import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBResultReader,
  type Json,
} from '@duckdb/node-api';
import { readConfig } from '../../src/platform/config/app-config';
import type { Destination } from '../../src/destinations/destination';
import { DuckdbKind } from '../../src/destinations/duckdb/duckdb-kind';
import { workFileOf } from '../../src/destinations/duckdb/duckdb-publication';
import { type DestinationUnderTest, JSON_COLUMNS, type ReadRow } from './contract-tables';

/** Runs statements in a file that no other process has open. */
export async function inFile<T>(
  path: string,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const instance = await DuckDBInstance.create(path, { threads: '1' });
  const connection = await instance.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    return await work(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Runs statements in a copy of a file, with its log, as the file can be open in another process. */
export async function inCopy<T>(
  path: string,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'duckdb-copy-'));
  try {
    const copy = join(directory, 'copy.duckdb');
    await copyFile(path, copy);
    if (existsSync(`${path}.wal`)) await copyFile(`${path}.wal`, `${copy}.wal`);
    return await inFile(copy, work);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Returns the rows of a table in the form of the contract. @param isRaw With all times. */
export function readTable(
  path: string,
  table: string,
  isRaw = false,
): Promise<readonly ReadRow[] | null> {
  return inCopy(path, async (connection) => {
    const tables = await connection.runAndReadAll(
      'SELECT table_name FROM duckdb_tables() WHERE table_name = ?',
      [table],
    );
    if (tables.currentRowCount === 0) return null;
    return contractRows(await connection.runAndReadAll(`FROM ${quoted(table)} ORDER BY 1`), isRaw);
  });
}

/**
 * Returns rows in the form of the contract.
 * @param isRaw Whether times of the service are returned as they are.
 */
export function contractRows(result: DuckDBResultReader, isRaw = false): readonly ReadRow[] {
  const [names, types] = [result.columnNames(), result.columnTypes()];
  return result.getRowsJson().map((cells) => {
    const row: Record<string, unknown> = {};
    for (const [index, name] of names.entries()) {
      const cell = cells[index] ?? null;
      if (name === '_synced_at' && !isRaw) continue;
      if (name === '_deleted_at' && !isRaw) {
        if (cell !== null) row[name] = true;
      } else {
        const type = types[index]?.alias ?? String(types[index]);
        // Parquet files have JSON as texts.
        const isJson = type === 'JSON' || JSON_COLUMNS.includes(name);
        row[name] = cell === null ? null : read(cell, isJson ? 'JSON' : type);
      }
    }
    return row;
  });
}

function read(cell: Json, type: string): unknown {
  if (type === 'BIGINT') return Number(cell);
  if (typeof cell !== 'string') return cell;
  if (type === 'JSON') return JSON.parse(cell);
  if (type === 'TIMESTAMP WITH TIME ZONE') {
    return new Date(cell.replace(' ', 'T').replace('+00', 'Z')).toISOString();
  }
  return cell;
}

/** Files of connections in a directory of their own. */
export interface TestFiles {
  readonly directory: string;
  readonly kind: DuckdbKind;
  /** Returns the path of a file that readers open. */
  path(accountId: string, file?: string): string;
  /** Returns the path of the file that syncs write. */
  workPath(accountId: string, file?: string): string;
  remove(): Promise<void>;
}

export async function createFiles(): Promise<TestFiles> {
  const directory = await mkdtemp(join(tmpdir(), 'duckdb-files-'));
  return {
    directory,
    kind: new DuckdbKind(readConfig({ CONNECTION_FILES_DIR: directory })),
    path: (accountId, file = 'sales') => join(directory, accountId, `${file}.duckdb`),
    workPath: (accountId, file = 'sales') =>
      workFileOf(join(directory, accountId, `${file}.duckdb`)),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Where a file is. */
export interface FileLogin {
  readonly directory: string;
  readonly accountId: string;
}

/** Returns the destination for a worker. */
export function destinationFor({ directory, accountId }: FileLogin): Destination {
  const kind = new DuckdbKind(readConfig({ CONNECTION_FILES_DIR: directory }));
  const settings = kind.readSettings({ file: 'sales' });
  return kind.create({ accountId, connectionId: randomUUID(), settings, secret: null });
}

/** Returns the destination for the contract. */
export function duckdbUnderTest(files: TestFiles, login: FileLogin): DestinationUnderTest {
  // Nothing is published without a sync.
  const path = files.workPath(login.accountId);
  return {
    destination: destinationFor(login),
    read: (table) => readTable(path, table),
    readVersions: async (table) => (await readTable(path, table, true)) ?? [],
    dropTable: (table) =>
      inFile(path, async (connection) => {
        await connection.run(`DROP TABLE ${quoted(table)}`);
      }),
    createTable: (table) =>
      inFile(path, async (connection) => {
        await connection.run(`CREATE TABLE ${quoted(table)} AS SELECT 1::BIGINT AS id`);
      }),
    close: () => files.remove(),
  };
}

export async function startDuckdb(): Promise<DestinationUnderTest> {
  const files = await createFiles();
  return duckdbUnderTest(files, { directory: files.directory, accountId: randomUUID() });
}

/** Starts a program that has a file open. Fails if another one has it open. */
export async function holdFile(path: string, mode = 'AUTOMATIC'): Promise<ChildProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'duckdb-holder-'));
  const program = join(directory, 'holder.js');
  const driver = JSON.stringify(require.resolve('@duckdb/node-api'));
  await writeFile(
    program,
    `require(${driver}).DuckDBInstance.create(process.argv[2], { access_mode: process.argv[3] }).then((instance) => {
       process.instance = instance;
       process.send('open');
     });
     process.on('disconnect', () => process.exit());`,
  );
  const child = fork(program, [path, mode], { silent: true });
  try {
    const exited = new AbortController();
    child.once('exit', () => {
      exited.abort();
    });
    await once(child, 'message', { signal: exited.signal });
    return child;
  } finally {
    await rm(directory, { recursive: true });
  }
}
