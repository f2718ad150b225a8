import { readFile } from 'node:fs/promises';

/**
 * Returns the most memory in MiB that each process has used since its start, as the kernel counts it.
 * @throws if a process has ended.
 */
export function peakMemoryMiB(processIds: readonly number[]): Promise<number[]> {
  return Promise.all(
    processIds.map(async (id) => {
      const status = await readFile(`/proc/${String(id)}/status`, 'utf8');
      const peakKiB = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]);
      if (!(peakKiB > 0)) throw new Error(`Process ${String(id)} has ended.`);
      return peakKiB / 1024;
    }),
  );
}
