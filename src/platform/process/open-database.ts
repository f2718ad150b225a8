import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppConfig } from '../config/app-config';
import { openEmbeddedPostgres } from '../embedded-postgres/embedded-postgres';
import { OperatorError } from './operator-error';

/** The database that the configuration names. */
export interface OpenedDatabase {
  readonly url: string;
  readonly isEmbedded: boolean;
  /** To be called when nothing uses the database any more. */
  release(): Promise<void>;
}

/**
 * Checks that there is a database to open, so that opening it makes none.
 * @throws OperatorError where the embedded one was never started.
 */
export async function requireDatabase({ databaseUrl, dataDir }: AppConfig): Promise<void> {
  if (databaseUrl !== undefined) return;
  try {
    await stat(join(dataDir, 'postgres', 'PG_VERSION'));
  } catch (error) {
    // Anything else is told by opening it.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return;
    throw new OperatorError(
      `There is no database in DATA_DIR (it is ${JSON.stringify(dataDir)}). ` +
        'Set DATABASE_URL, or start the service first.',
      { cause: error },
    );
  }
}

/**
 * Opens the embedded PostgreSQL where no database is configured.
 * @throws OperatorError where that cannot be had.
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
    // Its messages say what to do.
    throw new OperatorError(error instanceof Error ? error.message : '', { cause: error });
  }
}
