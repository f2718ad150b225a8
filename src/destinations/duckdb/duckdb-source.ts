import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { extname, join } from 'node:path';
import { DestinationError } from '../destination';
import { type QueryResult, type ResultLimits, type Source, type SourceQuery } from '../source';
import { statementOf } from '../source-sql';
import { onceClosed, QUERY_MEMORY, receivedError } from './duckdb-error';
import type { ReadCall, ReadResult } from './duckdb-reader';
import { quoted } from './duckdb-sql';
import { ProcessMemory } from './process-memory';

/** Program of the process, in the form in which this module was loaded. */
const PROGRAM = join(__dirname, `duckdb-reader${extname(__filename)}`);

/** Reads results of a file of DuckDB, each in a process of its own that opens it read-only. */
export class DuckdbSource implements Source {
  constructor(
    private readonly file: string,
    private readonly memoryBytes: number,
  ) {}

  async read(query: SourceQuery, limits: ResultLimits, signal: AbortSignal): Promise<QueryResult> {
    const text = statementOf(query, quoted);
    const { file, memoryBytes } = this;
    const { maxRowBytes, timeoutMs } = limits;
    const request = { file, memoryBytes, text, maxRowBytes };
    return onceClosed(async () => {
      const process = new ReaderProcess(signal, timeoutMs, memoryBytes);
      try {
        const result = await process.call(request);
        if (!('columns' in result)) throw new Error('The process has sent no columns.');
        return {
          columns: result.columns,
          batches: () => batchesOf(process),
          close: () => process.end(),
        };
      } catch (error) {
        await process.end();
        throw error;
      }
    });
  }
}

async function* batchesOf(process: ReaderProcess): ReturnType<QueryResult['batches']> {
  for (;;) {
    const result = await process.call('next');
    if (!('rows' in result)) throw new Error('The process has sent no rows.');
    if (result.rows.length === 0) {
      // Syncs, and the owner of the file, can open it while the rows are written.
      await process.end();
      return;
    }
    yield result.rows;
  }
}

/**
 * A process that reads a file. Killed when it ends, when the signal is aborted, after a time, and if it
 * uses too much memory.
 */
class ReaderProcess {
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;
  private readonly timer: NodeJS.Timeout;
  private readonly memory: ProcessMemory;
  private reason: Error | null = null;
  private fail: (error: Error) => void = () => undefined;
  private readonly stop = (): void => {
    this.kill(this.signal.reason as Error);
  };

  constructor(
    private readonly signal: AbortSignal,
    timeoutMs: number,
    memoryBytes: number,
  ) {
    // No settings of the service, which hold passwords.
    this.child = fork(PROGRAM, [], { env: {}, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    this.ended = once(this.child, 'exit').catch(() => undefined);
    this.memory = new ProcessMemory(this.child.pid, memoryBytes, () => {
      this.kill(tooMuchMemory());
    });
    void this.ended.then(() => {
      this.memory.stop();
      this.fail(this.reason ?? crashed());
    });
    this.child.on('error', () => undefined);
    this.timer = setTimeout(() => {
      this.kill(tooSlow(timeoutMs));
    }, timeoutMs);
    signal.addEventListener('abort', this.stop);
    if (signal.aborted) this.stop();
  }

  /** Sends a call. @returns the result. @throws DestinationError or the reason of the signal. */
  async call(call: ReadCall): Promise<Exclude<ReadResult, { readonly error: unknown }>> {
    const result = await new Promise<ReadResult>((resolve, reject) => {
      this.fail = reject;
      if (this.reason) reject(this.reason);
      else if (!this.child.connected) reject(crashed());
      this.child.once('message', resolve);
      this.child.send(call, (error) => {
        if (error !== null) this.kill(crashed());
      });
    });
    if ('error' in result) throw receivedError(result.error);
    return result;
  }

  async end(): Promise<void> {
    this.kill(crashed());
    await this.ended;
  }

  private kill(reason: Error): void {
    clearTimeout(this.timer);
    this.memory.stop();
    this.signal.removeEventListener('abort', this.stop);
    this.reason ??= reason;
    this.fail(this.reason);
    this.child.kill('SIGKILL');
  }
}

const crashed = (): Error =>
  new DestinationError(
    'unavailable',
    'The program that reads the file has ended unexpectedly. The import is repeated.',
  );

function tooMuchMemory(): Error {
  return new DestinationError('configuration', QUERY_MEMORY);
}

function tooSlow(timeoutMs: number): Error {
  const text = `The query took more than ${String(timeoutMs / 1_000)} seconds. Make it faster, or select fewer rows.`;
  return new DestinationError('unavailable', text);
}
