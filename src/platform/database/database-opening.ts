import { setTimeout as delay } from 'node:timers/promises';
import { isUnavailable } from './database-error';

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;

/** Receives events of the startup. */
export interface StartupReporter {
  /**
   * The database is unavailable. The next attempt starts after `retryInMs` milliseconds. If this is
   * missing, the process fails instead of waiting.
   */
  unavailable?(error: unknown, retryInMs: number): void;
  /** These migrations are about to run, which can take a while. */
  migrating(names: readonly string[]): void;
  /** The database contains migrations that this release does not know. */
  newerSchema(unknown: readonly string[]): void;
}

/** Thrown when the process is told to stop while it waits for its database. */
export class OpeningAbandonedError extends Error {}

/** Startup steps that need the database. */
export interface OpeningSteps {
  /** Inspects the database without changing it. May be abandoned at any time. */
  readonly check: () => Promise<void>;
  /** Migrates and connects. Always runs to completion. */
  readonly open: () => Promise<void>;
}

/**
 * Opens the database when the process starts. While the database is unavailable (stopped,
 * unreachable, or rejecting the role, for example during a password change), it retries with pauses
 * that grow to five seconds. Errors that waiting cannot fix, such as a wrong setting or a failing
 * migration, are thrown immediately.
 */
export class DatabaseStartup {
  /** Stops waiting. An `open` step that is already in progress continues. */
  abandon!: () => void;
  private readonly abandoned: Promise<never>;

  /** @param report Without `unavailable`, the first failure is thrown, as for commands. */
  constructor(private readonly report: StartupReporter | undefined) {
    this.abandoned = new Promise((_resolve, reject) => {
      this.abandon = () => {
        reject(new OpeningAbandonedError('The start was abandoned.'));
      };
    });
    // Prevents an unhandled rejection if `run` is not waiting.
    this.abandoned.catch(() => undefined);
  }

  /**
   * Runs the steps, and retries while the database is unavailable.
   * @throws OpeningAbandonedError after `abandon`.
   */
  async run({ check, open }: OpeningSteps): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      try {
        await Promise.race([check(), this.abandoned]);
        await open();
        return;
      } catch (error) {
        if (!this.report?.unavailable || !isUnavailable(error)) throw error;
        this.report.unavailable(error, pauseMs);
      }
      await Promise.race([delay(pauseMs), this.abandoned]);
    }
  }
}
