import { readFile, realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { errorCode, unlessCode } from './errno';

/**
 * Whether process `pid` lives and is the server of this cluster. A process id alone says little:
 * after a restart of the machine or the container it is likely to be some other process.
 */
export async function isPostmasterOf(clusterDir: string, pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  const text = await unlessCode(
    readFile(`/proc/${pid}/cmdline`, 'utf8'),
    ['ENOENT', 'ESRCH', 'EACCES'],
    null,
  );
  // Where /proc hides the process, better to believe that it is the server.
  if (text === null) return isAlive(pid);
  return isCommandLineOf(clusterDir, text.split('\0'));
}

async function isCommandLineOf(clusterDir: string, command: readonly string[]): Promise<boolean> {
  // A process that has ended and only waits to be collected has an empty command line.
  if (basename(command[0] ?? '') !== 'postgres') return false;
  const directory = command[command.indexOf('-D') + 1];
  if (!command.includes('-D') || directory === undefined) return true;
  if (directory === clusterDir) return true;
  return (await unlessCode(realpath(directory), ['ENOENT', 'EACCES'], null)) === clusterDir;
}

/** Whether there is such a process, be it one that has ended and waits to be collected. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
