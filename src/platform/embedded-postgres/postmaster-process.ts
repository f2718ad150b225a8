import { readFile, realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { errorCode, unlessCode } from './errno';

/**
 * Whether process `pid` is alive and is the server of this cluster. The process id alone is not
 * enough: after a restart of the machine or container it likely belongs to another process.
 */
export async function isPostmasterOf(clusterDir: string, pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  const text = await unlessCode(
    readFile(`/proc/${pid}/cmdline`, 'utf8'),
    ['ENOENT', 'ESRCH', 'EACCES'],
    null,
  );
  // If /proc hides the process, assume that it is the server.
  if (text === null) return isAlive(pid);
  return isCommandLineOf(clusterDir, text.split('\0'));
}

async function isCommandLineOf(clusterDir: string, command: readonly string[]): Promise<boolean> {
  // A zombie process has an empty command line.
  if (basename(command[0] ?? '') !== 'postgres') return false;
  const directory = command[command.indexOf('-D') + 1];
  if (!command.includes('-D') || directory === undefined) return true;
  if (directory === clusterDir) return true;
  return (await unlessCode(realpath(directory), ['ENOENT', 'EACCES'], null)) === clusterDir;
}

/** Whether the process exists, including zombie processes. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
