import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessCode } from './errno';
import { isPostmasterOf } from './postmaster-process';

/** What a running server says of itself in its lock file, `postmaster.pid`. */
export interface RunningServer {
  readonly pid: number;
  readonly port: number;
  readonly socketDir: string;
  /** `starting`, `ready`, `stopping`, or empty while the file is being written. */
  readonly status: string;
}

/** Path of the lock file by which the server makes sure that it is alone on its cluster. */
export function postmasterFile(clusterDir: string): string {
  return join(clusterDir, 'postmaster.pid');
}

/** Reads the lines of `postmaster.pid`; null where there is not even a process id. */
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

/** The server that runs on a cluster; null where none does, also where one left its file behind. */
export async function findRunningServer(clusterDir: string): Promise<RunningServer | null> {
  const text = await unlessCode(readFile(postmasterFile(clusterDir), 'utf8'), ['ENOENT'], '');
  const server = parsePostmasterFile(text);
  return server !== null && (await isPostmasterOf(clusterDir, server.pid)) ? server : null;
}
