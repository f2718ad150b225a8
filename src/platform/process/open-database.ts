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
