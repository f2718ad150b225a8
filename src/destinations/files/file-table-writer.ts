import {
  type BlockSum,
  type ColumnPlan,
  type CsvLines,
  DestinationError,
  FencedError,
  type IdRange,
  type RowRevision,
  type SyncState,
  type TargetColumn,
  type TargetTable,
  type TargetWriter,
} from '../destination';
import {
  type DataFile,
  type FileCatalog,
  type FileSet,
  type TableContent,
  type TableVersion,
  VersionConflictError,
} from './file-catalog';
import { type EngineOptions, ParquetEngine } from './parquet-engine';
import { FILE_LIMITS, type FileLimits } from './segments';
import { changedColumns, type LineFile, TableFiles } from './table-files';

/** Attempts to claim a table while others change it. */
const MAX_CLAIMS = 5;

/**
 * A target table of Parquet files in a catalog. A step writes the files anew whose ranges contain rows
 * that change, and then replaces the version of the table, on condition that it is still the one that
 * the step has read. So a step that ends anywhere leaves the table as it was, and files that no version
 * lists. Memory and temporary disk space depend on the size of a file and not on that of the table.
 */
export class FileTableWriter implements TargetWriter {
  private readonly engine: ParquetEngine;
  private readonly files: TableFiles;
  private token = 0;

  constructor(
    private readonly catalog: FileCatalog,
    private readonly table: TargetTable,
    options: EngineOptions,
    limits: FileLimits = FILE_LIMITS,
  ) {
    this.engine = new ParquetEngine(options, (file, path) => catalog.download(file, path));
    this.files = new TableFiles(catalog, this.engine, table.deletions, limits);
  }

  async claim(token: number): Promise<SyncState | null> {
    for (let attempt = 1; ; attempt += 1) {
      const base = await this.catalog.read();
      if (base !== null && base.token >= token) throw new FencedError(base.token);
      this.token = token;
      // `beginLoad` says so.
      if (base === null && (await this.catalog.findForeign()) !== null) return null;
      try {
        const empty = { state: null, table: null, load: null };
        const version = await this.catalog.commit(base, { ...(base ?? empty), token });
        await this.catalog.collect(version);
        return version.state;
      } catch (error) {
        if (!(error instanceof VersionConflictError)) throw error;
        if (attempt === MAX_CLAIMS) throw busy(error);
      }
    }
  }

  async beginLoad(columns: readonly TargetColumn[], state: SyncState): Promise<void> {
    const base = await this.read();
    await this.commit(base, { ...base, state, load: { columns, files: [] } });
  }

  async append(columns: readonly TargetColumn[], rows: CsvLines, state: SyncState): Promise<void> {
    await this.withLines(columns, rows, async (lines) => {
      const base = await this.read();
      const load = this.checkColumns(base.load, columns);
      const files = lines === null ? load.files : await this.files.append(load, lines);
      await this.commit(base, { ...base, state, load: { ...load, files } });
    });
  }

  async finishLoad(columns: readonly TargetColumn[], state: SyncState): Promise<void> {
    const base = await this.read();
    const load = this.checkColumns(base.load, columns);
    const former = this.table.deletions === 'delete' ? null : (base.table ?? base.former ?? null);
    const files = former ? await this.files.takeOver(load, former) : load.files;
    const table = await this.files.orEmpty({ columns: load.columns, files });
    await this.commit(base, { ...base, state, table, load: null });
  }

  async merge(columns: readonly TargetColumn[], rows: CsvLines, state: SyncState): Promise<void> {
    await this.change(columns, rows, state, async (table, lines) =>
      lines === null ? table.files : this.files.merge(table, lines),
    );
  }

  async replace(
    columns: readonly TargetColumn[],
    range: IdRange,
    rows: CsvLines,
    state: SyncState,
  ): Promise<void> {
    await this.change(columns, rows, state, (table, lines) =>
      this.files.replace(table, range, lines),
    );
  }

  async changeColumns(plan: ColumnPlan, state: SyncState): Promise<void> {
    const base = await this.read();
    const former = this.checkTable(base);
    const columns = changedColumns(former.columns, plan);
    if (columns === null) throw this.changed();
    const files = await this.files.convert(former, columns, plan);
    const table = await this.files.orEmpty({ columns, files });
    await this.commit(base, { ...base, state, table });
  }

  async exists(): Promise<boolean> {
    const { table } = await this.read();
    return table !== null && this.catalog.hasFiles(table.files);
  }

  async sumBlocks(): Promise<BlockSum[]> {
    return this.files.sumBlocks(this.checkTable(await this.read()));
  }

  async readRevisions(range: IdRange): Promise<RowRevision[]> {
    return this.files.readRevisions(this.checkTable(await this.read()), range);
  }

  async drop(): Promise<void> {
    try {
      await this.catalog.remove(await this.read());
    } catch (error) {
      throw await this.conflict(error);
    }
  }

  async close(): Promise<void> {
    await this.engine.close();
    await this.catalog.close();
  }

  /** Runs a change of the target table. `work` returns the files after it. */
  private async change(
    columns: readonly TargetColumn[],
    rows: CsvLines,
    state: SyncState,
    work: (table: FileSet, lines: LineFile | null) => Promise<readonly DataFile[]>,
  ): Promise<void> {
    await this.withLines(columns, rows, async (lines) => {
      const base = await this.read();
      const before = this.checkColumns(base.table, columns);
      const files = await work(before, lines);
      const table = await this.files.orEmpty({ ...before, files });
      await this.commit(base, { ...base, state, table });
    });
  }

  private withLines(
    columns: readonly TargetColumn[],
    rows: CsvLines,
    work: (lines: LineFile | null) => Promise<void>,
  ): Promise<void> {
    return this.engine.withLines(rows, (csv) => work(csv === null ? null : { csv, columns }));
  }

  /** Returns the current version. @throws FencedError if another worker has claimed the table. */
  private async read(): Promise<TableVersion> {
    const version = await this.catalog.read();
    if (version === null) {
      const foreign = await this.catalog.findForeign();
      if (foreign !== null) throw new DestinationError('configuration', foreign);
    }
    if (version?.token !== this.token) throw new FencedError(version?.token ?? 0);
    return version;
  }

  private async commit(base: TableVersion, next: TableContent): Promise<void> {
    this.engine.signal.throwIfAborted();
    try {
      await this.catalog.collect(await this.catalog.commit(base, next));
    } catch (error) {
      throw await this.conflict(error);
    }
  }

  /** Returns the error of a failed commit: perhaps another worker has claimed the table. */
  private async conflict(error: unknown): Promise<unknown> {
    if (!(error instanceof VersionConflictError)) return error;
    const version = await this.catalog.read();
    return version?.token === this.token ? busy(error) : new FencedError(version?.token ?? 0);
  }

  private checkColumns(set: FileSet | null, columns: readonly TargetColumn[]): FileSet {
    if (set === null) throw this.missing();
    const isSame =
      set.columns.length === columns.length &&
      columns.every((column) =>
        set.columns.some(
          ({ id, name, type }) => id === column.id && name === column.name && type === column.type,
        ),
      );
    if (!isSame) throw this.changed();
    return set;
  }

  private checkTable({ table }: TableVersion): FileSet {
    if (table === null) throw this.missing();
    return table;
  }

  private missing(): DestinationError {
    return new DestinationError(
      'inconsistent',
      `Table "${this.table.name}" is missing. It must be loaded again.`,
    );
  }

  private changed(): DestinationError {
    return new DestinationError(
      'inconsistent',
      `The files of table "${this.table.name}" are not those of this sync. It must be loaded again.`,
    );
  }
}

function busy(cause: Error): DestinationError {
  const message = 'Another worker has changed the table at the same time. The sync is repeated.';
  return new DestinationError('unavailable', message, { cause });
}
