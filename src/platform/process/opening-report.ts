import type { OpeningReport } from '../database/database-opening';
import type { Logger } from '../logging/logger';
import { failureText } from './operator-error';

/** What has been said is said again after so many attempts, a minute at the longest pauses. */
const REPEAT_EVERY = 12;

/** Tells the log, and once standard error, why a start waits for its database. */
export function openingReport({ pino }: Logger): OpeningReport {
  let said = '';
  let attempts = 0;
  return {
    unavailable(error, retryInMs) {
      const reason = failureText(error);
      if (said === '') process.stderr.write(`${reason} Waiting for it.\n`);
      if (reason !== said || attempts % REPEAT_EVERY === 0) {
        pino.error({ reason, retryInMs }, 'database unavailable at start, waiting');
      }
      said = reason;
      attempts += 1;
    },
    newerSchema(migrations) {
      pino.warn({ migrations }, 'schema is newer than this release');
    },
  };
}
