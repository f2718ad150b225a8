import { readFile } from 'node:fs/promises';
import { median } from './median';

const SAMPLE_MS = 100;
const KIB_IN_MIB = 1024;

/** A process's resident memory over some time, in MiB. */
export interface MemoryUse {
  readonly peakMib: number;
  /** Medians of the first and the last third of the time: memory that is kept shows between them. */
  readonly firstThirdMib: number;
  readonly lastThirdMib: number;
}

/** Looks at a process's resident memory until told to end. */
export function watchMemory(pid: number): { end(): Promise<MemoryUse> } {
  const samples: number[] = [];
  const look = async (): Promise<void> => {
    const status = await readFile(`/proc/${String(pid)}/status`, 'utf8');
    samples.push(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / KIB_IN_MIB);
  };
  // A process that is gone answers no more either, and that ends the run.
  const timer = setInterval(() => void look().catch(() => undefined), SAMPLE_MS);
  return {
    end: async () => {
      clearInterval(timer);
      await look();
      return summary(samples);
    },
  };
}

/** Of what was seen, in its order. */
export function summary(samples: readonly number[]): MemoryUse {
  const third = Math.ceil(samples.length / 3);
  return {
    peakMib: Math.max(...samples),
    firstThirdMib: median(samples.slice(0, third)),
    lastThirdMib: median(samples.slice(-third)),
  };
}
