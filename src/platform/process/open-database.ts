import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openEmbeddedPostgres } from '../../embedded-postgres/embedded-postgres';
import type { AppConfig } from '../config/app-config';
import type { StartupReporter } from '../database/database-opening';
import type { Logger } from '../logging/logger';
import { createEmbeddedKeyFile } from '../secrets/key-file';
import { failureText, OperatorError } from './operator-error';
import type { StopRequest } from './stop-request';

/** Database that the configuration selects. */
export interface OpenedDatabase {
  readonly url: string;
  readonly isEmbedded: boolean;
  /**
   * Tells commands on the embedded database where this service can be reached.
   * @param urls Possible URLs, best first.
   */
  announce(urls: readonly string[]): Promise<void>;
  /** Returns the URL that a service on the embedded database has announced, or null. */
  findServiceUrl(): Promise<string | null>;
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
      `DATA_DIR (${JSON.stringify(dataDir)}) contains no database. ` +
        'Set DATABASE_URL, or start the service first.',
      { cause: error },
    );
  }
}

/**
 * Opens the configured database, or the embedded PostgreSQL if none is configured. Beside the embedded
 * one, creates the key file for secrets, unless there is one.
 * @throws OperatorError if the embedded PostgreSQL cannot be opened or the key file cannot be created.
 */
export async function openDatabase(
  config: AppConfig,
  log?: (message: string) => void,
): Promise<OpenedDatabase> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl !== undefined) {
    return externalDatabase(databaseUrl);
  }
  try {
    const embedded = await openEmbeddedPostgres({ dataDir, ...(log && { log }) });
    try {
      await createEmbeddedKeyFile(config);
    } catch (error) {
      await embedded.release();
      throw error;
    }
    return {
      url: embedded.url,
      isEmbedded: true,
      announce: (urls) => embedded.announce(urls),
      findServiceUrl: () => embedded.findServiceUrl(),
      release: () => embedded.release(),
    };
  } catch (error) {
    // The messages tell the operator what to do.
    throw new OperatorError(error instanceof Error ? error.message : '', { cause: error });
  }
}

/** Returns a database that this process neither starts nor stops. Settings say where services are. */
function externalDatabase(url: string): OpenedDatabase {
  return {
    url,
    isEmbedded: false,
    announce: () => Promise.resolve(),
    findServiceUrl: () => Promise.resolve(null),
    release: () => Promise.resolve(),
  };
}

/**
 * Opens the database as `openDatabase` does.
 * @returns `null` if opening fails after the process was asked to stop. Ctrl-C may terminate
 *   initdb, too.
 */
export async function openUntilStop(
  config: AppConfig,
  { pino }: Logger,
  stop: StopRequest,
): Promise<OpenedDatabase | null> {
  try {
    return await openDatabase(config, (message) => {
      pino.info(message);
    });
  } catch (error) {
    if (!stop.isMade()) throw error;
    pino.warn({ err: error }, 'database opening failed');
    return null;
  }
}

/** Attempts after which an unchanged reason is logged again: a minute at the longest pauses. */
const REPEAT_EVERY = 12;

/**
 * Reports to the log what a start does with its database.
 * @param waits Whether the start waits for its database, and also says why, to the log and once to
 *   standard error. For the embedded one it does not: this process starts it, and it either starts
 *   or fails.
 */
export function openingReport({ pino }: Logger, waits: boolean): StartupReporter {
  return {
    ...(waits && { unavailable: unavailabilityReport(pino) }),
    migrating({ length }) {
      pino.info({ migrations: length }, 'schema migration started');
    },
    newerSchema(migrations) {
      pino.warn({ migrations }, 'schema is newer than this release');
    },
  };
}

function unavailabilityReport(pino: Logger['pino']): (error: unknown, retryInMs: number) => void {
  let said = '';
  let attempts = 0;
  return (error, retryInMs) => {
    const reason = failureText(error);
    if (said === '') process.stderr.write(`${reason} Retrying.\n`);
    if (reason !== said || attempts % REPEAT_EVERY === 0) {
      pino.error({ reason, retryInMs }, 'database unavailable at start, waiting');
    }
    said = reason;
    attempts += 1;
  };
}
