import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessCode } from './errno';
import { isPostmasterOf } from './postmaster-process';

/** Contents of a running server's lock file, `postmaster.pid`. */
export interface RunningServer {
  readonly pid: number;
  readonly port: number;
  readonly socketDir: string;
  /** `starting`, `ready`, `stopping`, or empty while the file is being written. */
  readonly status: string;
}

/** Path of the lock file with which the server ensures that no other server uses its cluster. */
export function postmasterFile(clusterDir: string): string {
  return join(clusterDir, 'postmaster.pid');
}

/**
 * Parses the lines of `postmaster.pid`.
 * @returns `null` if it does not contain a process id.
 */
export function parsePostmasterFile(text: string): RunningServer | null {
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return null;
  return {
    pid,
    port: Number(lines[3] ?? ''),
    socketDir: lines[4] ?? '',
    status: (lines[7] ?? '').trim(),
  };
}

/**
 * Finds the server that runs on a cluster.
 * @returns `null` if none is running, even if its file was left behind.
 */
export async function findRunningServer(clusterDir: string): Promise<RunningServer | null> {
  const text = await unlessCode(readFile(postmasterFile(clusterDir), 'utf8'), ['ENOENT'], '');
  const server = parsePostmasterFile(text);
  return server !== null && (await isPostmasterOf(clusterDir, server.pid)) ? server : null;
}
