import { randomUUID } from 'node:crypto';
import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AccountFiles } from '../account-files';
import {
  type BlockSum,
  type ColumnPlan,
  type CsvLines,
  type Destination,
  DestinationError,
  type IdRange,
  type RowRevision,
  type SyncState,
  type TargetColumn,
  type TargetTable,
  type TargetWriter,
} from '../destination';
import { writeLines } from './csv-file';
import type { DuckdbFiles, DuckdbTable } from './duckdb-file';
import { exists, workFileOf } from './duckdb-publication';

/** Writes tables to a file of DuckDB. */
export class DuckdbDestination implements Destination {
  constructor(
    private readonly files: DuckdbFiles,
    /** Path of the file that readers open, in the directory of its account. */
    private readonly file: string,
    /** Maximum size of the files of the account. */
    private readonly maxBytes: number,
  ) {}

  /** Tests the file. If there is none, tests another one beside it, which is then removed. */
  async test(): Promise<void> {
    for (const file of [workFileOf(this.file), this.file]) {
      if (!(await exists(file))) continue;
      await this.files.test(file);
      return;
    }
    const file = `${this.file}.${randomUUID()}.test`;
    try {
      await this.files.test(file);
    } finally {
      for (const path of [file, `${file}.wal`, `${file}.tmp`]) {
        await rm(path, { recursive: true, force: true }).catch(() => undefined);
      }
      // If it is empty.
      await rmdir(dirname(file)).catch(() => undefined);
    }
  }

  async open(table: TargetTable): Promise<TargetWriter> {
    const accountFiles = new AccountFiles(dirname(this.file), this.maxBytes);
    return new DuckdbWriter(await this.files.open(this.file, table), accountFiles);
  }
}

/**
 * Sends calls to the process that has the file open. Lines are first written to a temporary file beside
 * it, so that neither process holds them in memory, and no transaction waits for their source.
 */
class DuckdbWriter implements TargetWriter {
  private readonly closing = new AbortController();

  constructor(
    private readonly table: DuckdbTable,
    private readonly accountFiles: AccountFiles,
  ) {}

  claim(token: number): Promise<SyncState | null> {
    return this.table.call('claim', token);
  }

  beginLoad(columns: readonly TargetColumn[], state: SyncState): Promise<void> {
    return this.table.call('beginLoad', columns, state);
  }

  append(columns: readonly TargetColumn[], rows: CsvLines, state: SyncState): Promise<void> {
    return this.withFile(rows, (csv) => this.table.call('append', columns, csv, state));
  }

  finishLoad(columns: readonly TargetColumn[], state: SyncState): Promise<void> {
    return this.table.call('finishLoad', columns, state);
  }

  merge(columns: readonly TargetColumn[], rows: CsvLines, state: SyncState): Promise<void> {
    return this.withFile(rows, (csv) => this.table.call('merge', columns, csv, state));
  }

  replace(
    columns: readonly TargetColumn[],
    range: IdRange,
    rows: CsvLines,
    state: SyncState,
  ): Promise<void> {
    return this.withFile(rows, (csv) => this.table.call('replace', columns, range, csv, state));
  }

  changeColumns(plan: ColumnPlan, state: SyncState): Promise<void> {
    return this.table.call('changeColumns', plan, state);
  }

  publishSnapshot(): Promise<void> {
    return this.table.publish();
  }

  exists(): Promise<boolean> {
    return this.table.call('exists');
  }

  readRevisions(range: IdRange): Promise<RowRevision[]> {
    return this.table.call('readRevisions', range);
  }

  sumBlocks(): Promise<BlockSum[]> {
    return this.table.call('sumBlocks');
  }

  drop(): Promise<void> {
    return this.table.call('drop');
  }

  async close(): Promise<void> {
    this.closing.abort(new DestinationError('unavailable', 'The sync was stopped.'));
    await this.table.close();
  }

  /** Writes lines to a file while they are used. Gives `null` if there are none. */
  private async withFile(
    rows: CsvLines,
    use: (csv: string | null) => Promise<void>,
  ): Promise<void> {
    await this.accountFiles.requireRoom();
    const path = join(this.table.workDirectory, `${randomUUID()}.csv`);
    const signal = AbortSignal.any([this.closing.signal, this.table.signal]);
    try {
      const bytes = await writeLines(path, rows, signal);
      await use(bytes > 0 ? path : null);
    } finally {
      await rm(path, { force: true }).catch(() => undefined);
    }
  }
}
