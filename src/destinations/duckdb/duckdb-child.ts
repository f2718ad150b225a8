import { type ChildProcess, fork } from 'node:child_process';
import { DestinationError } from '../destination';
import { type ErrorMeanings, outOfMemory, receivedError, type SentError } from './duckdb-error';
import { ProcessMemory } from './process-memory';

/** Number of last bytes of standard error that are kept. */
const MAX_ERROR_LENGTH = 2_000;

/** A call, as the process of a database receives it. */
export interface ReceivedCall<Call> {
  readonly call: number;
  readonly request: Call;
}

export type SentResult =
  | { readonly call: number; readonly result: unknown }
  | { readonly call: number; readonly error: SentError };

/** A call that waits for its result. */
interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Memory of a process for the data of DuckDB, and what failures of DuckDB mean there. */
export interface ChildOptions {
  readonly memoryBytes: number;
  readonly meanings: ErrorMeanings;
  /** Statements that the process carries out at a time. Default: that of Node, 4. */
  readonly threads?: number;
}

/** glibc keeps freed memory for each of its arenas, by default up to eight for each core. */
const FEW_ARENAS = { MALLOC_ARENA_MAX: '2' };

/**
 * A process that has a database of DuckDB open, and carries out calls, as `serveCalls` does. It is killed
 * if it uses too much memory.
 */
export class DuckdbChild<Call> {
  private readonly waiting = new Map<number, Waiting>();
  private readonly gone = new AbortController();
  private calls = 0;
  private reason: Error | undefined;
  /** Settles when the process has ended. */
  readonly ended: Promise<void>;

  private constructor(
    private readonly child: ChildProcess,
    { memoryBytes, meanings }: ChildOptions,
  ) {
    let errors = '';
    const memory = new ProcessMemory(child.pid, memoryBytes, () => {
      this.reason = outOfMemory(meanings);
      child.kill('SIGKILL');
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-MAX_ERROR_LENGTH);
    });
    child.on('message', (message) => {
      this.receive(message as SentResult);
    });
    this.ended = new Promise((resolve) => {
      const end = (cause: string): void => {
        memory.stop();
        this.fail(cause);
        resolve();
      };
      child.once('exit', (code, signal) => {
        end(`The process ended with ${String(signal ?? code)}. ${errors}`.trim());
      });
      child.once('error', (error) => {
        if (child.pid === undefined) end(error.message);
      });
    });
  }

  /**
   * Starts a program.
   * @param first The call that opens the database. If it fails, the process ends.
   */
  static async start<Call>(
    program: string,
    first: Call,
    options: ChildOptions,
  ): Promise<DuckdbChild<Call>> {
    const child = fork(program, [], {
      // No settings of the service, which hold passwords.
      env: {
        ...FEW_ARENAS,
        ...(options.threads !== undefined && { UV_THREADPOOL_SIZE: String(options.threads) }),
      },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const started = new DuckdbChild<Call>(child, options);
    try {
      await started.call(first);
      return started;
    } catch (error) {
      await started.kill();
      throw error;
    }
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Aborted when the process has ended. The reason is a DestinationError. */
  get signal(): AbortSignal {
    return this.gone.signal;
  }

  call(request: Call): Promise<unknown> {
    this.signal.throwIfAborted();
    this.calls += 1;
    const call = this.calls;
    return new Promise((resolve, reject) => {
      this.waiting.set(call, { resolve, reject });
      this.child.send({ call, request }, (error) => {
        if (error !== null) this.child.kill('SIGKILL');
      });
    });
  }

  /** Ends the process by a call that closes the database. Never throws. */
  async end(last: Call): Promise<void> {
    if (!this.signal.aborted) await this.call(last).catch(() => this.child.kill('SIGKILL'));
    await this.ended;
  }

  /** Ends the process at once. Calls in progress fail. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  private receive(message: SentResult): void {
    const waiting = this.waiting.get(message.call);
    this.waiting.delete(message.call);
    if ('error' in message) waiting?.reject(receivedError(message.error));
    else waiting?.resolve(message.result);
  }

  private fail(cause: string): void {
    const error =
      this.reason ??
      new DestinationError(
        'unavailable',
        'The program that writes the file has ended unexpectedly. Nothing was changed. The sync is repeated.',
        { cause: new Error(cause) },
      );
    this.gone.abort(error);
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}
