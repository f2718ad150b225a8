import { mkdir } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import type { TargetTable } from '../destination';
import { fileError } from './csv-file';
import { DuckdbChild } from './duckdb-child';
import { FILE_MEANINGS, onceClosed } from './duckdb-error';
import type { DatabaseCall, TableMethod } from './duckdb-process';
import {
  adoptFile,
  exists,
  isPublished,
  isWritable,
  publishFile,
  workFileOf,
} from './duckdb-publication';
import type { DuckdbTableRepository } from './duckdb-table.repository';

/** Program of the process, in the form in which this module was loaded. */
const PROGRAM = join(__dirname, `duckdb-process${extname(__filename)}`);

export interface DuckdbFileOptions {
  /** Memory that DuckDB may use for its data. The process needs some more. */
  readonly memoryBytes: number;
  /** Another program to run, in tests. */
  readonly program?: string;
}

/** A process that has a file open, with the tables of the service there. */
class DuckdbProcess {
  private tables = 0;

  private constructor(private readonly child: DuckdbChild<DatabaseCall>) {}

  /** Opens a file, which is created if it is missing. Its directory must exist. */
  static async start(
    file: string,
    workDirectory: string,
    options: DuckdbFileOptions,
  ): Promise<DuckdbProcess> {
    const { program = PROGRAM, memoryBytes } = options;
    return new DuckdbProcess(
      await DuckdbChild.start<DatabaseCall>(
        program,
        { method: 'start', options: { file, workDirectory, memoryBytes } },
        { memoryBytes, meanings: FILE_MEANINGS },
      ),
    );
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Settles when the process has ended. */
  get ended(): Promise<void> {
    return this.child.ended;
  }

  /** Aborted when the process has ended. The reason is a DestinationError. */
  get signal(): AbortSignal {
    return this.child.signal;
  }

  call(call: DatabaseCall): Promise<unknown> {
    return this.child.call(call);
  }

  newTable(): number {
    this.tables += 1;
    return this.tables;
  }

  /** Closes the file and ends the process. Never throws. */
  end(): Promise<void> {
    return this.child.end({ method: 'end' });
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
    private readonly use: FileUse,
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
    if (CHANGES.has(method)) this.use.change();
    const result = await process.call({ method, table, parameters });
    return result as Awaited<ReturnType<DuckdbTableRepository[Name]>>;
  }

  /** Shows readers all changes of the file. */
  publish(): Promise<void> {
    return this.use.publish();
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
    await this.use.release();
  }
}

/** Methods that change what readers see. */
const CHANGES: ReadonlySet<TableMethod> = new Set([
  'finishLoad',
  'merge',
  'replace',
  'changeColumns',
  'drop',
]);

/** The use of an open file. */
interface FileUse {
  /** Notes a change that readers do not see yet. */
  change(): void;
  publish(): Promise<void>;
  release(): Promise<void>;
}

/** A file that is open, and the number of those who use it. */
interface OpenFile {
  readonly started: Promise<DuckdbProcess>;
  users: number;
  /** Number of changes that began. */
  changes: number;
  /** Number of these that readers see. */
  published: number;
  /** Settles when the last publication has ended. */
  publishing: Promise<void>;
  closing?: Promise<void>;
}

/**
 * The files that this service has open. DuckDB lets one process at a time open a file that is written, so
 * the tables of a file share a process, which ends with the last of them. Readers open a copy.
 */
export class DuckdbFiles {
  private readonly files = new Map<string, OpenFile>();

  constructor(private readonly options: DuckdbFileOptions) {}

  /** @throws DestinationError if the file cannot be opened. */
  async open(file: string, target: TargetTable): Promise<DuckdbTable> {
    await prepare(file, this.options);
    const path = workFileOf(file);
    return this.use(path, workDirectoryOf(file), async (process, open, release) => {
      const table = process.newTable();
      if (!(await isPublished(file))) open.changes += 1;
      await process.call({ method: 'open', table, target });
      return new DuckdbTable(process, table, workDirectoryOf(file), {
        change: () => {
          open.changes += 1;
        },
        publish: () => this.publish(file, open, process),
        release,
      });
    });
  }

  /** Opens the file and closes it again. Another worker of the instance may have it open. */
  async test(file: string): Promise<void> {
    await onceClosed(() =>
      this.use(file, workDirectoryOf(file), async (process, _, release) => {
        await process.call({ method: 'test' });
        await release();
      }),
    );
  }

  private async publish(file: string, open: OpenFile, process: DuckdbProcess): Promise<void> {
    const publish = async (): Promise<void> => {
      const { changes } = open;
      if (open.published === changes) return;
      // Later changes wait until the file is copied, and are not in the copy.
      await process.call({ method: 'pause' });
      try {
        await publishFile(file);
        open.published = changes;
      } finally {
        await process.call({ method: 'resume' }).catch(() => undefined);
      }
    };
    const published = open.publishing.then(publish);
    open.publishing = published.catch(() => undefined);
    return published;
  }

  private async use<T>(
    file: string,
    workDirectory: string,
    work: (process: DuckdbProcess, open: OpenFile, release: () => Promise<void>) => Promise<T>,
  ): Promise<T> {
    let open = this.files.get(file);
    while (open?.closing !== undefined) {
      await open.closing;
      open = this.files.get(file);
    }
    const used = open ?? this.start(file, workDirectory);
    used.users += 1;
    const release = (): Promise<void> => this.release(file, used);
    try {
      return await work(await used.started, used, release);
    } catch (error) {
      await release();
      throw error;
    }
  }

  private start(file: string, workDirectory: string): OpenFile {
    const open: OpenFile = {
      users: 0,
      started: startProcess(file, workDirectory, this.options),
      changes: 0,
      published: 0,
      publishing: Promise.resolve(),
    };
    this.files.set(file, open);
    const forget = (): void => {
      if (this.files.get(file) === open) this.files.delete(file);
    };
    open.started.then((process) => process.ended.then(forget), forget);
    return open;
  }

  private async release(file: string, open: OpenFile): Promise<void> {
    open.users -= 1;
    if (open.users > 0) return;
    // Another process could write to the file while it is copied.
    open.closing = open.publishing
      .then(async () => (await open.started).end())
      .catch(() => undefined);
    await open.closing;
    if (this.files.get(file) === open) this.files.delete(file);
  }
}

async function startProcess(
  file: string,
  workDirectory: string,
  options: DuckdbFileOptions,
): Promise<DuckdbProcess> {
  try {
    // As the directory of the embedded PostgreSQL, which has the same rows.
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw fileError(cause);
  }
  return DuckdbProcess.start(file, workDirectory, options);
}

/** Prepares a file that syncs of earlier releases have written, or that another program has. */
async function prepare(file: string, options: DuckdbFileOptions): Promise<void> {
  if ((await exists(workFileOf(file))) || !(await exists(file))) return;
  if (await isWritable(file)) {
    // Reads its log, and fails while another process has it open.
    await (await startProcess(file, workDirectoryOf(file), options)).end();
  }
  await adoptFile(file);
}

function workDirectoryOf(file: string): string {
  return `${file}.tmp`;
}
