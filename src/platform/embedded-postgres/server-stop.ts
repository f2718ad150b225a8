import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from './errno';
import { isPostmasterOf } from './postmaster-process';

const LONGEST_STOP_MS = 60_000;
const POLL_MS = 10;

/**
 * Stops the server by a fast shutdown (SIGINT, which ends all sessions and writes all data) and
 * waits until its process has ended.
 *
 * @throws Error if that takes longer than a minute.
 */
export async function stopServer(clusterDir: string, pid: number): Promise<void> {
  const deadline = Date.now() + LONGEST_STOP_MS;
  if (!(await isPostmasterOf(clusterDir, pid))) return;
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
  while (await isPostmasterOf(clusterDir, pid)) {
    if (Date.now() > deadline) {
      throw new Error(`PostgreSQL (process ${pid}) did not stop within ${LONGEST_STOP_MS} ms`);
    }
    await delay(POLL_MS);
  }
}
