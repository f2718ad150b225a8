import { setTimeout as delay } from 'node:timers/promises';
import { isUnavailable } from './database-error';

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;

/** Told what a start meets. Given where a start waits for its database instead of failing. */
export interface OpeningReport {
  /** The database is unavailable; the next attempt comes after so long. */
  unavailable(error: unknown, retryInMs: number): void;
  /** The database has seen migrations that this release does not know. */
  newerSchema(unknown: readonly string[]): void;
}

/** The process was told to stop while it waited for its database. */
export class OpeningAbandonedError extends Error {}

/** The steps of a start that need the database. */
export interface OpeningSteps {
  /** Looks at the database and changes nothing: may be left at any moment. */
  readonly check: () => Promise<void>;
  /** Migrates and connects: is brought to its end. */
  readonly open: () => Promise<void>;
}

/**
 * Opens the database at the start of the process. While it is unavailable (stopped, cut off, or
 * refusing the role, which may be a password that is being changed) it is tried again, with pauses
 * that grow to five seconds. What no waiting repairs fails at once: a wrong setting, a migration that
 * cannot be run.
 */
export class DatabaseOpening {
  /** Ends the waiting; an opening that is in progress already goes on. */
  abandon!: () => void;
  private readonly abandoned: Promise<never>;

  /** @param report Without one the first failure is thrown, as of a command. */
  constructor(private readonly report: OpeningReport | undefined) {
    this.abandoned = new Promise((_resolve, reject) => {
      this.abandon = () => {
        reject(new OpeningAbandonedError('The start was abandoned.'));
      };
    });
    // Nobody may be waiting.
    this.abandoned.catch(() => undefined);
  }

  /** @throws OpeningAbandonedError after `abandon` */
  async run({ check, open }: OpeningSteps): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      try {
        await Promise.race([check(), this.abandoned]);
        await open();
        return;
      } catch (error) {
        if (!this.report || !isUnavailable(error)) throw error;
        this.report.unavailable(error, pauseMs);
      }
      await Promise.race([delay(pauseMs), this.abandoned]);
    }
  }
}
