import { cpuMicros } from '../cpu-time';
import { markdownTable } from '../table';

/** A measure with its target. */
export interface Figure {
  readonly measure: string;
  readonly target: string;
  readonly measured: string;
  /** Whether the target is met; `null` if the measure has none. */
  readonly isMet: boolean | null;
  /** CPU time of the clients, as a share of one core. */
  readonly clientCpu: number;
}

/** Prints figures as a table. */
export function figuresTable(figures: readonly Figure[]): string {
  const lines = figures.map(({ measure, target, measured, isMet, clientCpu }) => [
    measure,
    target,
    measured,
    isMet === null ? '' : isMet ? 'yes' : 'no',
    `${(clientCpu * 100).toFixed(0)} %`,
  ]);
  return markdownTable(['measure', 'target', 'measured', 'met', 'CPU of the clients'], lines);
}

/** Measures the CPU time of this process and of others, as a share of one core. */
export function watchCpu(pids: readonly number[] = []): () => number {
  const used = (): number => {
    const { user, system } = process.cpuUsage();
    return user + system + pids.map(cpuMicros).reduce((sum, micros) => sum + micros, 0);
  };
  const [cpuAtStart, startedMs] = [used(), performance.now()];
  return () => (used() - cpuAtStart) / 1_000 / (performance.now() - startedMs);
}

/** Returns a quantile of values, such as 0.99. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
