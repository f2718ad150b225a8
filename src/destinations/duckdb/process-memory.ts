import { readFileSync } from 'node:fs';

/** Memory that a process of DuckDB may use beside that of DuckDB's data: its program and buffers. */
const PROGRAM_BYTES = 200 * 1024 * 1024;
/** A process that allocates as fast as it can gets some 100 MB in this time. */
const CHECK_INTERVAL_MS = 50;
/**
 * DuckDB fills its memory with the blocks of a large file, and needs more beside it than `PROGRAM_BYTES` while it
 * writes: up to 280 MiB were measured at 10 million rows.
 */
const COUNTED_SHARE = 0.75;

/** Returns the `memory_limit` of DuckDB in a process that may use `memoryBytes` for data. */
export const memoryLimit = (memoryBytes: number): string =>
  `${String(Math.floor(memoryBytes * COUNTED_SHARE))}B`;

/**
 * Watches the memory of a process of DuckDB. DuckDB counts only a part of what it allocates: large texts
 * and lists of a query are not in `memory_limit`. Works on Linux; elsewhere, nothing is watched.
 */
export class ProcessMemory {
  private readonly timer: NodeJS.Timeout;

  /**
   * @param memoryBytes Memory for the data of DuckDB.
   * @param onExceeded Called once, when the process uses more than this and `PROGRAM_BYTES`.
   */
  constructor(pid: number | undefined, memoryBytes: number, onExceeded: () => void) {
    this.timer = setInterval(() => {
      if (residentBytes(pid) <= memoryBytes + PROGRAM_BYTES) return;
      this.stop();
      onExceeded();
    }, CHECK_INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }
}

/** Returns the resident memory of a process; 0 if it is not known. The file is in memory, too. */
function residentBytes(pid: number | undefined): number {
  if (pid === undefined) return 0;
  try {
    const status = readFileSync(`/proc/${String(pid)}/status`, 'latin1');
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
    return Number(kibibytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}
