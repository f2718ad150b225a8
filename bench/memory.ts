import { readFile } from 'node:fs/promises';

const SAMPLE_MS = 100;

/** Looks at a process's resident memory until told to end, and then says how many bytes it was at most. */
export function watchMemory(pid: number): { end(): Promise<number> } {
  let most = 0;
  const look = async (): Promise<void> => {
    const status = await readFile(`/proc/${String(pid)}/status`, 'utf8').catch(() => '');
    most = Math.max(most, Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024);
  };
  const timer = setInterval(() => void look(), SAMPLE_MS);
  return {
    end: async () => {
      clearInterval(timer);
      await look();
      return most;
    },
  };
}
