import { type ChildProcess, fork } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { DestinationError, type TargetTable } from '../destination';
import { receivedError } from './duckdb-error';
import type { DatabaseCall, SentResult, TableMethod } from './duckdb-process';
import type { DuckdbTableRepository } from './duckdb-table.repository';

/** Program of the process, in the form in which this module was loaded. */
const PROGRAM = join(__dirname, `duckdb-process${extname(__filename)}`);
/** Number of last bytes of standard error that are kept. */
const MAX_ERROR_LENGTH = 2_000;

export interface DuckdbFileOptions {
  /** Memory that DuckDB may use for its data. The process needs some more. */
  readonly memoryBytes: number;
  /** Another program to run, in tests. */
  readonly program?: string;
}

/** A call that waits for its result. */
interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A process that has a file open. */
class DuckdbProcess {
  private readonly waiting = new Map<number, Waiting>();
  private readonly gone = new AbortController();
  private calls = 0;
  private tables = 0;
  /** Settles when the process has ended. */
  readonly ended: Promise<void>;

  private constructor(private readonly child: ChildProcess) {
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-MAX_ERROR_LENGTH);
    });
    child.on('message', (message) => {
      this.receive(message as SentResult);
    });
    this.ended = new Promise((resolve) => {
      const end = (cause: string): void => {
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

  /** Opens a file, which is created if it is missing. Its directory must exist. */
  static async start(file: string, options: DuckdbFileOptions): Promise<DuckdbProcess> {
    const child = fork(options.program ?? PROGRAM, [], {
      // No settings of the service, which hold passwords.
      env: {},
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const started = new DuckdbProcess(child);
    try {
      const { memoryBytes } = options;
      const workDirectory = workDirectoryOf(file);
      await started.call({ method: 'start', options: { file, workDirectory, memoryBytes } });
      return started;
    } catch (error) {
      child.kill('SIGKILL');
      await started.ended;
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

  call(call: DatabaseCall): Promise<unknown> {
    this.signal.throwIfAborted();
    this.calls += 1;
    const number = this.calls;
    return new Promise((resolve, reject) => {
      this.waiting.set(number, { resolve, reject });
      this.child.send({ ...call, call: number }, (error) => {
        if (error !== null) this.child.kill('SIGKILL');
      });
    });
  }

  newTable(): number {
    this.tables += 1;
    return this.tables;
  }

  /** Closes the file and ends the process. Never throws. */
  async end(): Promise<void> {
    if (!this.signal.aborted) {
      await this.call({ method: 'end' }).catch(() => this.child.kill('SIGKILL'));
    }
    await this.ended;
  }

  private receive(message: SentResult): void {
    const waiting = this.waiting.get(message.call);
    this.waiting.delete(message.call);
    if ('error' in message) waiting?.reject(receivedError(message.error));
    else waiting?.resolve(message.result);
  }

  private fail(cause: string): void {
    const error = new DestinationError(
      'unavailable',
      'The program that writes the file has ended unexpectedly. Nothing was changed. The sync is repeated.',
      { cause: new Error(cause) },
    );
    this.gone.abort(error);
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}

/** A table of an open file. */
export class DuckdbTable {
  private isClosed = false;

  constructor(
    private readonly process: DuckdbProcess,
    private readonly table: number,
    /** Directory for lines. */
    readonly workDirectory: string,
    private readonly release: () => Promise<void>,
  ) {}

  get pid(): number | undefined {
    return this.process.pid;
  }

  get signal(): AbortSignal {
    return this.process.signal;
  }

  async call<Name extends TableMethod>(
    method: Name,
    ...parameters: Parameters<DuckdbTableRepository[Name]>
  ): Promise<Awaited<ReturnType<DuckdbTableRepository[Name]>>> {
    const { process, table } = this;
    const result = await process.call({ method, table, parameters });
    return result as Awaited<ReturnType<DuckdbTableRepository[Name]>>;
  }

  /** Interrupts a call in progress. Never throws. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    const { process, table } = this;
    try {
      await process.call({ method: 'close', table });
    } catch {
      // The process has ended.
    }
    await this.release();
  }
}

/** A file that is open, and the number of those who use it. */
interface OpenFile {
  readonly started: Promise<DuckdbProcess>;
  users: number;
  closing?: Promise<void>;
}

/**
 * The files that this service has open. DuckDB lets one process at a time open a file, so the tables
 * of a file share a process. It ends with the last of them, and others can then read the file.
 */
export class DuckdbFiles {
  private readonly files = new Map<string, OpenFile>();

  constructor(private readonly options: DuckdbFileOptions) {}

  /** @throws DestinationError if the file cannot be opened. */
  async open(file: string, target: TargetTable): Promise<DuckdbTable> {
    return this.use(file, async (process, release) => {
      const table = process.newTable();
      await process.call({ method: 'open', table, target });
      return new DuckdbTable(process, table, workDirectoryOf(file), release);
    });
  }

  /** Opens the file and closes it again. */
  async test(file: string): Promise<void> {
    await this.use(file, async (process, release) => {
      await process.call({ method: 'test' });
      await release();
    });
  }

  private async use<T>(
    file: string,
    work: (process: DuckdbProcess, release: () => Promise<void>) => Promise<T>,
  ): Promise<T> {
    let open = this.files.get(file);
    while (open?.closing !== undefined) {
      await open.closing;
      open = this.files.get(file);
    }
    const used = open ?? this.start(file);
    used.users += 1;
    const release = (): Promise<void> => this.release(file, used);
    try {
      return await work(await used.started, release);
    } catch (error) {
      await release();
      throw error;
    }
  }

  private start(file: string): OpenFile {
    const open: OpenFile = { users: 0, started: this.startProcess(file) };
    this.files.set(file, open);
    const forget = (): void => {
      if (this.files.get(file) === open) this.files.delete(file);
    };
    open.started.then((process) => process.ended.then(forget), forget);
    return open;
  }

  private async startProcess(file: string): Promise<DuckdbProcess> {
    try {
      // As the directory of the embedded PostgreSQL, which has the same rows.
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    } catch (cause) {
      throw fileError(cause);
    }
    return DuckdbProcess.start(file, this.options);
  }

  private async release(file: string, open: OpenFile): Promise<void> {
    open.users -= 1;
    if (open.users > 0) return;
    open.closing = open.started.then((process) => process.end()).catch(() => undefined);
    await open.closing;
    if (this.files.get(file) === open) this.files.delete(file);
  }
}

/** Returns the error of an access to the directory of a file. */
export function fileError(cause: unknown): DestinationError {
  const isFull = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(
    (cause as NodeJS.ErrnoException).code ?? '',
  );
  const message = isFull
    ? 'The disk of the file is full. Nothing was changed. The sync continues once there is space.'
    : 'The directory of the file cannot be written. The operator must give the service access to it.';
  return new DestinationError('unavailable', message, { cause });
}

function workDirectoryOf(file: string): string {
  return `${file}.tmp`;
}
