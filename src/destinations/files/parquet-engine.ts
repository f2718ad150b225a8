import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { TemporaryFiles } from '../account-files';
import { type CsvLines, DestinationError } from '../destination';
import { writeLines } from '../duckdb/csv-file';
import { DuckdbChild } from '../duckdb/duckdb-child';
import type { DataFile, WrittenFile } from './file-catalog';
import { PARQUET_MEANINGS } from './parquet-error';
import type { ParquetCall, ParquetMethod } from './parquet-process';
import type { LocalFile, ParquetRepository, SentFile } from './parquet.repository';

/** Program of the process, in the form in which this module was loaded. */
const PROGRAM = join(__dirname, `parquet-process${extname(__filename)}`);
/** Age of a work directory that no run can still use. */
const ABANDONED_MS = 3 * 3_600_000;
/** Size of the files that are kept in the work directory, to be read again. */
const MAX_KEPT_BYTES = 256 * 1024 * 1024;

/** Where and with what a table is processed. */
export interface EngineOptions {
  /** Path of the work directory without its last part, which is chosen. */
  readonly workDirectory: string;
  /** Prefix of the last part. What has it and is old was left behind by a process that was killed. */
  readonly prefix: string;
  /** Prefix of the last part for this account. Begins with `prefix`. */
  readonly ownPrefix: string;
  readonly memoryBytes: number;
  /** Maximum size of what DuckDB writes when its memory is full. */
  readonly maxSpillBytes: number;
  /** Checks that more can be written. @throws DestinationError */
  readonly requireRoom: () => Promise<void>;
  /** Checks that a file can be loaded. @throws DestinationError */
  readonly requireSpace: (bytes: number) => Promise<void>;
}

/** Returns the options of a sync to a bucket. */
export function temporaryOptions(files: TemporaryFiles, memoryBytes: number): EngineOptions {
  const { workDirectory, prefix, ownPrefix, maxBytes } = files;
  return {
    workDirectory,
    prefix,
    ownPrefix,
    memoryBytes,
    maxSpillBytes: maxBytes,
    requireRoom: () => files.requireRoom(0),
    requireSpace: (bytes) => files.requireRoom(bytes),
  };
}

/** Loads a file into the work directory. */
export type Download = (file: DataFile, path: string) => Promise<void>;

/**
 * A process that reads and writes Parquet files, and its work directory. It starts when it is needed:
 * most runs have nothing to do. Files that were written or downloaded are kept for a while, as the next
 * step may need them.
 */
export class ParquetEngine {
  readonly workDirectory: string;
  private started: Promise<DuckdbChild<ParquetCall>> | undefined;
  private readonly closing = new AbortController();
  /** Kept files, the one that was used last at the end. */
  private readonly kept = new Map<string, { readonly path: string; readonly bytes: number }>();
  private keptBytes = 0;

  constructor(
    private readonly options: EngineOptions,
    private readonly download: Download,
  ) {
    const { workDirectory, ownPrefix } = options;
    this.workDirectory = join(workDirectory, `${ownPrefix}${randomUUID()}`);
  }

  /** Aborted when the writer is closed. */
  get signal(): AbortSignal {
    return this.closing.signal;
  }

  async call<Name extends ParquetMethod>(
    method: Name,
    ...parameters: Parameters<ParquetRepository[Name]>
  ): Promise<Awaited<ReturnType<ParquetRepository[Name]>>> {
    const child = await this.start();
    const result = await child.call({ method, parameters });
    return result as Awaited<ReturnType<ParquetRepository[Name]>>;
  }

  /**
   * Writes lines to a file while they are used, so that neither process holds them in memory.
   * @param use Gets `null` if there are no lines.
   */
  async withLines<T>(rows: CsvLines, use: (csv: string | null) => Promise<T>): Promise<T> {
    await this.options.requireRoom();
    const child = await this.start();
    const path = join(this.workDirectory, `${randomUUID()}.csv`);
    try {
      const signal = AbortSignal.any([this.signal, child.signal]);
      const bytes = await writeLines(path, rows, signal);
      return await use(bytes > 0 ? path : null);
    } finally {
      await rm(path, { force: true }).catch(() => undefined);
    }
  }

  /** Returns files as they can be read, until the next call of this method. */
  async local(files: readonly DataFile[]): Promise<LocalFile[]> {
    await this.start();
    const local: LocalFile[] = [];
    for (const file of files) {
      const { name, rows, bytes, fromId, toId, fieldIds = null } = file;
      const kept = this.kept.get(name);
      const path = kept?.path ?? join(this.workDirectory, `${randomUUID()}.parquet`);
      if (kept === undefined) {
        await this.options.requireSpace(bytes);
        await this.download(file, path);
      }
      this.keep(name, path, bytes);
      local.push({ path, rows, fromId, toId, fieldIds });
    }
    await this.removeOldest(new Set(files.map(({ name }) => name)));
    return local;
  }

  /** Keeps a file under its name in the catalog. */
  keep(name: string, path: string, bytes: number): void {
    if (this.kept.delete(name)) this.keptBytes -= bytes;
    this.kept.set(name, { path, bytes });
    this.keptBytes += bytes;
  }

  /** Removes kept files that are not in use, if there are too many. */
  private async removeOldest(used: ReadonlySet<string>): Promise<void> {
    for (const [name, { path, bytes }] of this.kept) {
      if (this.keptBytes <= MAX_KEPT_BYTES) break;
      if (used.has(name)) continue;
      this.kept.delete(name);
      this.keptBytes -= bytes;
      await rm(path, { force: true }).catch(() => undefined);
    }
  }

  /** Ends the process and removes the work directory. Calls in progress fail. Never throws. */
  async close(): Promise<void> {
    if (this.signal.aborted) return;
    this.closing.abort(new DestinationError('unavailable', 'The sync was stopped.'));
    const child = await this.started?.catch(() => undefined);
    await child?.kill();
    await rm(this.workDirectory, { recursive: true, force: true }).catch(() => undefined);
  }

  private start(): Promise<DuckdbChild<ParquetCall>> {
    this.signal.throwIfAborted();
    this.started ??= this.startProcess();
    return this.started;
  }

  private async startProcess(): Promise<DuckdbChild<ParquetCall>> {
    await this.removeAbandoned();
    const { memoryBytes, maxSpillBytes } = this.options;
    const { workDirectory } = this;
    return DuckdbChild.start<ParquetCall>(
      PROGRAM,
      { method: 'start', options: { workDirectory, memoryBytes, maxSpillBytes } },
      { memoryBytes, meanings: PARQUET_MEANINGS },
    );
  }

  private async removeAbandoned(): Promise<void> {
    const { workDirectory, prefix } = this.options;
    const names = await readdir(workDirectory).catch(() => []);
    for (const name of names.filter((each) => each.startsWith(prefix))) {
      const path = join(workDirectory, name);
      const found = await stat(path).catch(() => null);
      if (found && Date.now() - found.mtimeMs > ABANDONED_MS) {
        await rm(path, { recursive: true, force: true }).catch(() => undefined);
      }
    }
  }
}

/** Returns a written file with its statistics as a map. */
export function receivedFile(sent: SentFile): WrittenFile {
  return { ...sent, stats: new Map(sent.stats) };
}
