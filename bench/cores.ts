import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';

/**
 * Runs this process, and those that it starts from now on, on all cores but the last.
 * @returns whether the system can do so. Without, a process takes up to half as much CPU time again
 *   for the same request on one core as on another, depending on what else runs there.
 */
export function leaveLastCore(): boolean {
  const last = cpus().length - 1;
  return last > 0 && runOn(last === 1 ? '0' : `0-${String(last - 1)}`, process.pid);
}

/** Moves a process to the last core. */
export function moveToLastCore(pid: number): void {
  runOn(String(cpus().length - 1), pid);
}

function runOn(cores: string, pid: number): boolean {
  try {
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(pid)]);
    return true;
  } catch {
    return false;
  }
}
