import { readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { AppConfig } from '../platform/config/app-config';
import { DestinationError } from './destination';
import { workFileOf } from './duckdb/duckdb-publication';

/** Directory of the files in the data directory of the embedded PostgreSQL. */
const EMBEDDED_NAME = 'connections';

/**
 * Returns the directory of the operator in which each account has its files; `undefined` if there is
 * none. It is absolute, because the path can be the identity of an open file.
 */
export function filesDirectoryOf(config: AppConfig): string | undefined {
  const { connectionFilesDir, databaseUrl, dataDir } = config;
  const embedded = databaseUrl === undefined ? join(dataDir, EMBEDDED_NAME) : undefined;
  const directory = connectionFilesDir ?? embedded;
  return directory === undefined ? undefined : resolve(directory);
}

/**
 * The files of one account, with those that DuckDB needs beside them, and their maximum size. Copies of DuckDB
 * files for readers do not count.
 */
export class AccountFiles {
  constructor(
    private readonly directory: string,
    private readonly maxBytes: number,
  ) {}

  /**
   * Checks that more can be written. A part of a sync can exceed the limit.
   * @throws DestinationError if the files have their maximum size.
   */
  async requireRoom(): Promise<void> {
    if ((await sizeOf(this.directory)) < this.maxBytes) return;
    const gibibytes = (this.maxBytes / 2 ** 30).toFixed(1);
    const message = `The files of this account have their maximum size of ${gibibytes} GiB. Copy fewer rows or columns, or ask the operator of the service for more.`;
    throw new DestinationError('configuration', message);
  }
}

/** Beginning of the names of all work directories. */
const TEMPORARY_PREFIX = 'datagrid-files-';

/** Work directories of the syncs of one account to buckets, in the system's temporary directory. */
export class TemporaryFiles {
  readonly workDirectory = tmpdir();
  /** What begins so and is old was left behind by a process that was killed. */
  readonly prefix = TEMPORARY_PREFIX;
  /** Beginning of the names of the directories of the account. */
  readonly ownPrefix: string;

  constructor(
    accountId: string,
    readonly maxBytes: number,
  ) {
    this.ownPrefix = `${TEMPORARY_PREFIX}${accountId}-`;
  }

  /**
   * Checks that more can be written. Syncs that run at the same time can exceed the limit by a file each.
   * @throws DestinationError if the directories would exceed their maximum size.
   */
  async requireRoom(bytes: number): Promise<void> {
    const names = await readdir(this.workDirectory).catch(() => []);
    const own = names.filter((name) => name.startsWith(this.ownPrefix));
    const sizes = await Promise.all(own.map((name) => sizeOf(join(this.workDirectory, name))));
    if (sizes.reduce((sum, size) => sum + size, bytes) <= this.maxBytes) return;
    const gibibytes = (this.maxBytes / 2 ** 30).toFixed(1);
    const message = `The syncs of this account need more than ${gibibytes} GiB for temporary files. Copy fewer tables at a time, or ask the operator of the service for more.`;
    throw new DestinationError('configuration', message);
  }
}

/** Returns the size of all files of a directory, in bytes. */
async function sizeOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  const paths = new Set(entries.map(({ parentPath, name }) => join(parentPath, name)));
  const sizes = entries
    .filter((entry) => entry.isFile())
    // The copy of a work file, for readers.
    .filter(({ parentPath, name }) => !paths.has(workFileOf(join(parentPath, name))))
    .map(async ({ parentPath, name }) => {
      // Temporary files disappear while they are counted.
      const found = await stat(join(parentPath, name)).catch(() => null);
      return found?.size ?? 0;
    });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
