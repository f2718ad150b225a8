import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Destination } from '../../src/destinations/destination';
import { ParquetKind } from '../../src/destinations/parquet/parquet-kind';
import { pathNameOf } from '../../src/destinations/parquet/table-document';
import { readConfig } from '../../src/platform/config/app-config';
import type { DestinationUnderTest, ReadRow } from './contract-tables';
import { contractRows, inFile } from './duckdb-files';

/**
 * Returns a query of the files that a manifest lists, as the documentation shows it.
 * @param directory Directory of the table.
 */
export function setFilesSql(directory: string): string {
  return `SET VARIABLE files = (
    SELECT list_transform(files, file -> '${directory}/' || file)
    FROM read_json('${directory}/_manifest.json', columns = {files: 'VARCHAR[]'})
  )`;
}

/** Returns the rows of a table in the form of the contract; `null` if no load was finished. */
export async function readParquetTable(
  directory: string,
  isRaw = false,
): Promise<readonly ReadRow[] | null> {
  if (!existsSync(directory)) return null;
  return inFile(':memory:', async (connection) => {
    if (existsSync(join(directory, '_manifest.json'))) {
      await connection.run(setFilesSql(directory));
      const listed = await connection.runAndReadAll("SELECT len(getvariable('files'))::INTEGER");
      if (listed.getRowsJson()[0]?.[0] === 0) return null;
      return contractRows(
        await connection.runAndReadAll("FROM read_parquet(getvariable('files')) ORDER BY _id"),
        isRaw,
      );
    }
    return contractRows(
      await connection.runAndReadAll(`FROM read_parquet('${directory}/*.parquet')`),
    );
  });
}

/** Writes a Parquet file that has nothing to do with syncs. @returns its path. */
export async function writeOtherFile(directory: string): Promise<string> {
  const path = join(directory, 'other.parquet');
  await mkdir(directory, { recursive: true });
  await inFile(':memory:', async (connection) => {
    await connection.run(`COPY (SELECT 1::BIGINT AS id) TO '${path}'`);
  });
  return path;
}

/** Deletes the data files of a table, as its owner could. */
export async function deleteDataFiles(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name.endsWith('.parquet')) await rm(join(directory, name));
  }
}

/** Directories of accounts for Parquet files. */
export interface TestDirectory {
  readonly directory: string;
  readonly kind: ParquetKind;
  /** Returns the directory of a table. */
  path(accountId: string, table: string, name?: string): string;
  remove(): Promise<void>;
}

export async function createDirectory(
  settings: Readonly<Record<string, string>> = {},
): Promise<TestDirectory> {
  const directory = await mkdtemp(join(tmpdir(), 'parquet-files-'));
  return {
    directory,
    kind: new ParquetKind(readConfig({ CONNECTION_FILES_DIR: directory, ...settings })),
    path: (accountId, table, name = 'lake') =>
      join(directory, accountId, name, pathNameOf({ name: table })),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Where the directory of an account is. */
export interface DirectoryLogin {
  readonly directory: string;
  readonly accountId: string;
}

/** Returns the destination for a worker. */
export function destinationFor({ directory, accountId }: DirectoryLogin): Destination {
  const kind = new ParquetKind(readConfig({ CONNECTION_FILES_DIR: directory }));
  const settings = kind.readSettings({ storage: 'directory', directory: 'lake' });
  return kind.create({ accountId, connectionId: randomUUID(), settings, secret: null });
}

/** Returns the destination for the contract. */
export function directoryUnderTest(
  files: TestDirectory,
  login: DirectoryLogin,
): DestinationUnderTest {
  const pathOf = (table: string): string => files.path(login.accountId, table);
  return {
    destination: destinationFor(login),
    read: (table) => readParquetTable(pathOf(table)),
    readVersions: async (table) => (await readParquetTable(pathOf(table), true)) ?? [],
    dropTable: (table) => deleteDataFiles(pathOf(table)),
    createTable: async (table) => {
      await writeOtherFile(pathOf(table));
    },
    close: () => files.remove(),
  };
}

export async function startParquet(): Promise<DestinationUnderTest> {
  const files = await createDirectory();
  return directoryUnderTest(files, { directory: files.directory, accountId: randomUUID() });
}
