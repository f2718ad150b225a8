import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, statfs } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DuckdbChild } from '../destinations/duckdb/duckdb-child';
import { AppConfig } from '../platform/config/app-config';
import type { ResultRow } from '../destinations/source';
import type { ColumnarCall, PrintedRow } from './columnar-program';
import { CopyFailedError } from './copy-failed';
import type { UserColumn, UserFile, UserQuery } from './user-query';

/** Program of the process, in the form in which this module was loaded. */
const PROGRAM = join(__dirname, `columnar-program${extname(__filename)}`);
/** Directory of the copies in the data directory of the embedded PostgreSQL. */
const EMBEDDED_NAME = 'columnar';
const FILE_NAME = 'copies.duckdb';
/** Directory of the process of the scans in that of the instance. */
const SCANS_NAME = 'scans';
const WORK_NAME = 'work';
/** Name of the directory of an instance: the number of its process, and a unique part. */
const OWN_NAME = /^(\d+)-[0-9a-f-]{36}$/;
/** DuckDB may spill MAX_COLUMNAR_BYTES divided by this to disk when its memory is full. */
const SPILL_SHARE = 4;
/** The same, and the memory, of a process for the statements of users, of which there are several. */
const ASIDE_SPILL_SHARE = 16;
const ASIDE_MEMORY_SHARE = 2;
const MIN_MEMORY_BYTES = 128 * 1024 * 1024;
/**
 * Maximum number of concurrent calls. Others wait in the process. Scans have DATABASE_POOL_SIZE permits, by
 * default 10.
 */
const MAX_CALLS = 64;
/** Time that a call of a background task may take. */
const DEFAULT_LIMIT_MS = 120_000;

/** A connection of the columnar database. */
export class ColumnarSession {
  constructor(
    private readonly child: DuckdbChild<ColumnarCall>,
    private readonly session: number,
    private readonly limitMs: number,
  ) {}

  /** Runs statements, one after another. @throws CopyFailedError */
  async run(...statements: readonly string[]): Promise<void> {
    await this.call({ method: 'run', session: this.session, statements });
  }

  /**
   * Returns the rows of a statement whose columns are texts.
   * @param maxCharacters Maximum length of all values together.
   * @throws as `run`
   */
  async select(statement: string, maxCharacters = 1024 * 1024): Promise<readonly PrintedRow[]> {
    const { session } = this;
    const call = { method: 'select', session, statement, maxCharacters } as const;
    return (await this.call(call)) as readonly PrintedRow[];
  }

  /**
   * Starts a statement of a user, which must be a SELECT that was checked.
   * @throws as `run`. Its cause is a DestinationError if the statement is not valid.
   */
  async query(query: UserQuery): Promise<readonly UserColumn[]> {
    const call = { method: 'query', session: this.session, query } as const;
    return (await this.call(call)) as readonly UserColumn[];
  }

  /** Returns the next rows of that statement; none after the last one. @throws as `query` */
  async next(): Promise<readonly ResultRow[]> {
    return (await this.call({ method: 'next', session: this.session })) as readonly ResultRow[];
  }

  /** Writes a file with the rows of a statement of a user. @returns their number. @throws as `query` */
  async write(file: UserFile): Promise<number> {
    return (await this.call({ method: 'write', session: this.session, file })) as number;
  }

  /** Ends the statement in progress. Never throws. */
  interrupt(): void {
    this.call({ method: 'interrupt', session: this.session }).catch(() => undefined);
  }

  /** Ends the process, which does not respond to `interrupt`. */
  kill(): void {
    void this.child.kill();
  }

  /** Rolls back what was not committed. Never throws. */
  close(): void {
    this.call({ method: 'close', session: this.session }).catch(() => undefined);
  }

  private async call(call: ColumnarCall): Promise<unknown> {
    // The caller may hold a connection of PostgreSQL meanwhile, which serves queries without the process.
    const timer = setTimeout(() => void this.child.kill(), this.limitMs);
    try {
      return await this.child.call(call);
    } catch (cause) {
      throw new CopyFailedError('The database of the columnar copies has failed.', { cause });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A process with an empty database. Its tables are gone when it ends. */
export class ColumnarProcess {
  private sessions = 0;

  constructor(
    private readonly child: DuckdbChild<ColumnarCall>,
    /** Directory of the process alone. */
    private readonly directory: string,
    /** Maximum size of the temporary data of DuckDB and, separately, of each file that it writes. */
    readonly maxSpillBytes: number,
  ) {}

  /** Directory for the lines that the process reads and the files that it writes. */
  get workDirectory(): string {
    return join(this.directory, WORK_NAME);
  }

  /** Aborted when the process has ended. */
  get signal(): AbortSignal {
    return this.child.signal;
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** @param limitMs Time that a call may take. Then the process is killed. */
  connect(limitMs = DEFAULT_LIMIT_MS): ColumnarSession {
    this.sessions += 1;
    return new ColumnarSession(this.child, this.sessions, limitMs);
  }

  /** Ends the process at once, and removes its files: nothing of it is needed. */
  async end(): Promise<void> {
    await this.child.kill();
    await rm(this.directory, { recursive: true, force: true });
  }
}

/**
 * The database of the columnar copies of this instance: a process of DuckDB with a file, which is empty when
 * the process starts. It is a cache: nothing in it outlives the process.
 */
@Injectable()
export class ColumnarDatabase implements OnModuleInit, OnModuleDestroy {
  private readonly parentDirectory: string | undefined;
  /** Directory of this instance. */
  private readonly directory: string | undefined;
  private readonly memoryBytes: number;
  private readonly maxColumnarBytes: number;
  private readonly restartMs: number;
  private process: Promise<ColumnarProcess> | undefined;
  private startableAtMs = 0;
  private isClosed = false;

  constructor(config: AppConfig) {
    this.parentDirectory = directoryOf(config);
    this.directory =
      this.parentDirectory && join(this.parentDirectory, `${String(process.pid)}-${randomUUID()}`);
    this.memoryBytes = config.maxDuckdbMemoryBytes;
    this.maxColumnarBytes = config.maxColumnarBytes;
    this.restartMs = config.columnarRestartMs;
  }

  /** Whether copies have a directory and the service is not shutting down. */
  get isEnabled(): boolean {
    return this.directory !== undefined && !this.isClosed;
  }

  /** Removes the directories of instances whose process has ended. */
  async onModuleInit(): Promise<void> {
    const parent = this.parentDirectory;
    if (parent === undefined) return;
    for (const name of await readdir(parent).catch(() => [])) {
      const [, pid] = OWN_NAME.exec(name) ?? [];
      if (pid === undefined || isAlive(Number(pid))) continue;
      await rm(join(parent, name), { recursive: true, force: true });
    }
  }

  /**
   * Returns the maximum size of the copies in bytes: MAX_COLUMNAR_BYTES, or half of the disk space that is
   * free or that they take, if that is less.
   * @param bytes Present size of the copies.
   * @throws Error if the directory does not exist.
   */
  async maxBytes(bytes: number): Promise<number> {
    const { bavail, bsize } = await statfs(this.parentDirectory ?? '.');
    return Math.min(this.maxColumnarBytes, (bytes + bavail * bsize) / 2);
  }

  /**
   * Returns the process, and starts it if it does not run.
   * @throws Error if it cannot start, or has ended only now.
   */
  async open(): Promise<ColumnarProcess> {
    if (this.process) return this.process;
    const { directory } = this;
    if (directory === undefined || this.isClosed) throw new Error('Columnar copies are off.');
    if (performance.now() < this.startableAtMs) {
      throw new Error('The process of the columnar copies has ended.');
    }
    const started = this.start(join(directory, SCANS_NAME), this.memoryBytes, SPILL_SHARE);
    this.process = started;
    const forget = (): void => {
      if (this.process === started) this.process = undefined;
      this.startableAtMs = performance.now() + this.restartMs;
    };
    started.then((process) => {
      process.signal.addEventListener('abort', forget, { once: true });
    }, forget);
    return started;
  }

  /**
   * Starts another process with an empty database, which has none of the copies.
   * @throws Error if it cannot start.
   */
  async openAside(): Promise<ColumnarProcess> {
    const { directory } = this;
    if (directory === undefined || this.isClosed) throw new Error('Columnar copies are off.');
    const memoryBytes = Math.max(this.memoryBytes / ASIDE_MEMORY_SHARE, MIN_MEMORY_BYTES);
    return this.start(join(directory, randomUUID()), memoryBytes, ASIDE_SPILL_SHARE);
  }

  async onModuleDestroy(): Promise<void> {
    this.isClosed = true;
    const process = await this.process?.catch(() => undefined);
    await process?.end();
    if (this.directory !== undefined) await rm(this.directory, { recursive: true, force: true });
  }

  private async start(
    directory: string,
    memoryBytes: number,
    spillShare: number,
  ): Promise<ColumnarProcess> {
    await rm(directory, { recursive: true, force: true });
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const options = {
      file: ':memory:',
      attachedFile: join(directory, FILE_NAME),
      workDirectory: join(directory, WORK_NAME),
      memoryBytes,
      maxSpillBytes: Math.round(this.maxColumnarBytes / spillShare),
    };
    const child = await DuckdbChild.start<ColumnarCall>(
      PROGRAM,
      { method: 'start', options },
      { memoryBytes, meanings: [], threads: MAX_CALLS },
    );
    return new ColumnarProcess(child, directory, options.maxSpillBytes);
  }
}

function isAlive(pid: number): boolean {
  // In a container, the service has the same number each time.
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function directoryOf({ columnarDir, databaseUrl, dataDir }: AppConfig): string | undefined {
  const embedded = databaseUrl === undefined ? join(dataDir, EMBEDDED_NAME) : undefined;
  const directory = columnarDir ?? embedded;
  return directory === undefined ? undefined : resolve(directory);
}
