import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckdbSource } from '../../src/destinations/duckdb/duckdb-source';
import type { ResultRow } from '../../src/destinations/source';
import { inFile } from './duckdb-files';

/** Memory for the data of DuckDB: the least that an operator can set. */
export const MEMORY_BYTES = 128 * 1024 * 1024;
const ROW_BYTES = 2 * 1024 * 1024;
const SAMPLE_MS = 10;

/** A file of DuckDB that scheduled imports read, in a directory of its own. */
export class SourceFile {
  private constructor(
    readonly directory: string,
    readonly path: string,
  ) {}

  /** Creates a file with the results of statements. `{directory}` in them is its directory. */
  static async create(statements: readonly string[]): Promise<SourceFile> {
    const directory = await mkdtemp(join(tmpdir(), 'duckdb-source-'));
    const source = new SourceFile(directory, join(directory, 'sales.duckdb'));
    await inFile(source.path, async (connection) => {
      for (const statement of statements) {
        await connection.run(statement.replaceAll('{directory}', directory));
      }
    });
    return source;
  }

  /** Returns the rows of a query. */
  async read(query: string, { timeoutMs = 20_000 } = {}): Promise<ResultRow[]> {
    const source = new DuckdbSource(this.path, MEMORY_BYTES);
    const limits = { timeoutMs, maxRowBytes: ROW_BYTES };
    const text = query.replaceAll('{directory}', this.directory);
    const result = await source.read({ query: text }, limits, new AbortController().signal);
    const rows: ResultRow[] = [];
    try {
      for await (const batch of result.batches()) rows.push(...batch);
      return rows;
    } finally {
      await result.close();
    }
  }

  async remove(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** Returns the highest resident memory, in bytes, that a child of this process has while `work` runs. */
export async function peakOfChildren(work: () => Promise<unknown>): Promise<number> {
  let peak = 0;
  const timer = setInterval(() => {
    for (const pid of children()) peak = Math.max(peak, highestMemory(pid));
  }, SAMPLE_MS);
  try {
    await work();
    return peak;
  } finally {
    clearInterval(timer);
  }
}

function children(): string[] {
  const own = String(process.pid);
  return readFileSync(`/proc/${own}/task/${own}/children`, 'latin1').split(' ').filter(Boolean);
}

/** Returns 0 for a process that has ended. */
function highestMemory(pid: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
