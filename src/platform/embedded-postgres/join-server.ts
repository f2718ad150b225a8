import { setTimeout as delay } from 'node:timers/promises';
import { findRunningServer } from './postmaster-file';
import { startServer, type StartAttempt, type StartOptions } from './server-start';
import { type Share, takeShare } from './share';
import { isWorthAnother } from './start-outcome';

const POLL_MS = 10;
const REPORT_AFTER_MS = 3_000;

/**
 * Options of `joinServer`. `signal` aborts it, except while a server that it started is starting.
 */
export interface JoinOptions extends StartOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Takes a share in the cluster's server, and starts the server if none runs. If several processes
 * start it, PostgreSQL's lock file decides which one succeeds, and the others join. If a server is
 * stopping, waits until it has stopped and then starts a new one.
 *
 * @throws Error with the end of the server's log if it does not start.
 */
export async function joinServer(options: JoinOptions): Promise<Share> {
  const { location, signal, timeoutMs } = options;
  const deadline = Date.now() + timeoutMs;
  let attempt: StartAttempt | null = null;
  let reportAt = Date.now() + REPORT_AFTER_MS;
  let problem = 'it has not said that it is ready';
  for (;;) {
    const server = await findRunningServer(location.clusterDir);
    if (server?.status === 'ready') {
      const share = await takeShare(location.clusterDir, server);
      if ('client' in share) return share;
      problem = share.problem;
    }
    const isStarting = attempt !== null && attempt.outcome() === null;
    if (!isStarting) {
      signal?.throwIfAborted();
      if (server === null) {
        if (attempt !== null) await assertWorthAnother(attempt);
        attempt = await startServer(options);
      }
    }
    if (Date.now() > reportAt) {
      options.log(`Waiting for PostgreSQL (${server?.status ?? 'not running yet'})`);
      reportAt = Infinity;
    }
    if (Date.now() > deadline) {
      const tail = (await attempt?.logTail()) ?? '';
      throw new Error(
        `PostgreSQL was not ready within ${timeoutMs} ms: ${problem}. ` +
          `See ${location.logFile}.${tail && `\n${tail}`}`,
      );
    }
    await delay(POLL_MS);
  }
}

async function assertWorthAnother(attempt: StartAttempt): Promise<void> {
  const outcome = attempt.outcome() ?? 'still running';
  const tail = await attempt.logTail();
  if (!isWorthAnother(outcome, tail)) {
    throw new Error(`PostgreSQL did not start (${outcome}):\n${tail}`);
  }
}
