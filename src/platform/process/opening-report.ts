import type { OpeningReport } from '../database/database-opening';
import type { Logger } from '../logging/logger';
import { failureText } from './operator-error';

/** Attempts after which an unchanged reason is logged again: a minute at the longest pauses. */
const REPEAT_EVERY = 12;

/** Reports why the start waits for its database, to the log and once to standard error. */
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
