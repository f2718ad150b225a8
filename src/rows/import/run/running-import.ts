import type { Caller } from '../../../common/caller/caller';
import type { DatagridSchema, SchemaColumn } from '../../../datagrids/schema/datagrid-schema';
import { isSameColumn } from '../apply/fitting-schema';
import type { FileFormat } from '../read/csv-input';
import type { ImportOptions } from '../job/import-options';
import type { ImportReport } from '../job/import-report';
import type { ImportPlace } from '../job/import.repository';
import { columnsChanged } from './import-failures';
import { ImportProgress } from './import-progress';

/** An import that this process carries out. */
export class RunningImport {
  readonly progress = new ImportProgress();
  /** How its file is written, as far as that is known. */
  format: FileFormat;
  /** Keys of the columns that rows have values for; `null` where any may be. */
  usedKeys: Set<string> | null = null;
  /** What really happened, where the failure does not tell: for the log of whoever is answered. */
  cause: unknown = undefined;
  /** The final report, as it was written; `null` before, and if somebody else has ended the import. */
  report: ImportReport | null = null;
  /** Whether its request is answered already, while it goes on. */
  isAnswered = false;
  /** Whether its end could not be written down: others take it for dead soon, and say so. */
  isOutcomeUnknown = false;
  /** Whether its progress is being written down. */
  isBeating = false;
  private readonly stopping = new AbortController();

  constructor(
    readonly place: ImportPlace,
    readonly caller: Caller,
    readonly options: ImportOptions,
    /** The columns that lines are checked and written against. */
    public schema: DatagridSchema,
  ) {
    this.format = options;
  }

  /** Aborted, with the reason, once the import is to end before its end. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  /** Ends the import before its end; steps that are committed stay. */
  stop(reason: Error): void {
    this.stopping.abort(reason);
  }

  requireRunning(): void {
    this.signal.throwIfAborted();
  }

  /**
   * A row has a value for a column, the first of all, which was checked as the column was then.
   * @throws AppError `conflict` where it is not so any more.
   */
  use(column: SchemaColumn): void {
    const now = this.schema.columns.get(column.key);
    if (!now || !isSameColumn(column, now)) throw columnsChanged();
    this.usedKeys?.add(column.key);
  }

  /** The columns that rows may have values for. */
  usedColumns(): SchemaColumn[] {
    const columns = [...this.schema.columns.values()];
    return this.usedKeys ? columns.filter(({ key }) => this.usedKeys?.has(key)) : columns;
  }
}
