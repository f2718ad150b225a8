import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppConfig } from '../config/app-config';
import { openEmbeddedPostgres } from '../embedded-postgres/embedded-postgres';
import { OperatorError } from './operator-error';

/** Database that the configuration selects. */
export interface OpenedDatabase {
  readonly url: string;
  readonly isEmbedded: boolean;
  /** Releases the database. Call it when nothing uses the database any more. */
  release(): Promise<void>;
}

/**
 * Checks that the database exists, so that opening it does not create one.
 * @throws OperatorError if the embedded database was never started.
 */
export async function requireDatabase({ databaseUrl, dataDir }: AppConfig): Promise<void> {
  if (databaseUrl !== undefined) return;
  try {
    await stat(join(dataDir, 'postgres', 'PG_VERSION'));
  } catch (error) {
    // Opening the database reports any other error.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return;
    throw new OperatorError(
      `There is no database in DATA_DIR (it is ${JSON.stringify(dataDir)}). ` +
        'Set DATABASE_URL, or start the service first.',
      { cause: error },
    );
  }
}

/**
 * Opens the configured database, or the embedded PostgreSQL if none is configured.
 * @throws OperatorError if the embedded PostgreSQL cannot be opened.
 */
export async function openDatabase(
  config: AppConfig,
  log?: (message: string) => void,
): Promise<OpenedDatabase> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl !== undefined) {
    return { url: databaseUrl, isEmbedded: false, release: () => Promise.resolve() };
  }
  try {
    const embedded = await openEmbeddedPostgres({ dataDir, ...(log && { log }) });
    return { url: embedded.url, isEmbedded: true, release: () => embedded.release() };
  } catch (error) {
    // The messages tell the operator what to do.
    throw new OperatorError(error instanceof Error ? error.message : '', { cause: error });
  }
}
