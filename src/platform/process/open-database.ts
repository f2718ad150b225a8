import type { AppConfig } from '../config/app-config';
import { openEmbeddedPostgres } from '../embedded-postgres/embedded-postgres';

/** The database that the configuration names. */
export interface OpenedDatabase {
  readonly url: string;
  readonly isEmbedded: boolean;
  /** To be called when nothing uses the database any more. */
  release(): Promise<void>;
}

/** Opens the embedded PostgreSQL where no database is configured. @throws Error that says what to do */
export async function openDatabase(
  config: AppConfig,
  log?: (message: string) => void,
): Promise<OpenedDatabase> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl !== undefined) {
    return { url: databaseUrl, isEmbedded: false, release: () => Promise.resolve() };
  }
  const embedded = await openEmbeddedPostgres({ dataDir, ...(log && { log }) });
  return { url: embedded.url, isEmbedded: true, release: () => embedded.release() };
}
