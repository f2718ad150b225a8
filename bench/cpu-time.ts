import { readFileSync } from 'node:fs';

/** Linux reports CPU time in hundredths of a second, whatever the clock of the kernel. */
const TICK_MICROS = 10_000;

/**
 * Returns the CPU time of a process since its start, of all its threads, in microseconds; NaN on
 * systems without `/proc`. It depends less on the load of the machine than the rate of requests.
 */
export function cpuMicros(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The name of the program, in parentheses, may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user, system] = [Number(fields[11]), Number(fields[12])];
    return (user + system) * TICK_MICROS;
  } catch {
    return Number.NaN;
  }
}
