import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { AppConfig } from '../../platform/config/app-config';
import { DestinationError } from './destination';

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

/** The files of one account, with those that DuckDB needs beside them, and their maximum size. */
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
    if ((await this.measure()) < this.maxBytes) return;
    const gibibytes = (this.maxBytes / 2 ** 30).toFixed(1);
    const message = `The files of this account have their maximum size of ${gibibytes} GiB. Copy fewer rows or columns, or ask the operator of the service for more.`;
    throw new DestinationError('configuration', message);
  }

  /** Returns the size of all files, in bytes. */
  private async measure(): Promise<number> {
    const entries = await readdir(this.directory, { recursive: true, withFileTypes: true }).catch(
      () => [],
    );
    const sizes = entries
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }) => {
        // Temporary files disappear while they are counted.
        const found = await stat(join(parentPath, name)).catch(() => null);
        return found?.size ?? 0;
      });
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  }
}
