import { readFile } from 'node:fs/promises';
import { median } from './median';

const SAMPLE_MS = 100;
const KIB_IN_MIB = 1024;

/** Resident memory of a process over time, in MiB. */
export interface MemoryUse {
  readonly peakMib: number;
  /** Medians of the first and last third of the time. A leak shows as their difference. */
  readonly firstThirdMib: number;
  readonly lastThirdMib: number;
}

/** Samples the resident memory of a process until `end` is called. */
export function watchMemory(pid: number): { end(): Promise<MemoryUse> } {
  const samples: number[] = [];
  const look = async (): Promise<void> => {
    const status = await readFile(`/proc/${String(pid)}/status`, 'utf8');
    samples.push(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / KIB_IN_MIB);
  };
  // Errors are ignored here: if the process has ended, its requests fail and end the run.
  const timer = setInterval(() => void look().catch(() => undefined), SAMPLE_MS);
  return {
    end: async () => {
      clearInterval(timer);
      await look();
      return summary(samples);
    },
  };
}

/** Summarizes samples in the order in which they were taken. */
export function summary(samples: readonly number[]): MemoryUse {
  const third = Math.ceil(samples.length / 3);
  return {
    peakMib: Math.max(...samples),
    firstThirdMib: median(samples.slice(0, third)),
    lastThirdMib: median(samples.slice(-third)),
  };
}
