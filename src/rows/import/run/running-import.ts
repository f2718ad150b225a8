import type { Caller } from '../../../common/caller/caller';
import type { DatagridSchema, SchemaColumn } from '../../../datagrids/schema/datagrid-schema';
import { isSameColumn } from '../apply/fitting-schema';
import type { FileFormat } from '../read/csv-input';
import type { ImportOptions } from '../job/import-options';
import type { ImportReport } from '../job/import-report';
import type { ImportPlace } from '../job/import.repository';
import { columnsChanged } from './import-failures';
import { ImportProgress } from './import-progress';

/** An import that this process runs. */
export class RunningImport {
  readonly progress = new ImportProgress();
  /** Format of the file, as far as it is known. */
  format: FileFormat;
  /** Keys of the columns that rows have values for; `null` if any column may be used. */
  usedKeys: Set<string> | null = null;
  /** The internal cause, if the failure does not contain it. It is logged with the response. */
  cause: unknown = undefined;
  /**
   * The final report as stored; `null` before the end, or if the import has been ended otherwise.
   */
  report: ImportReport | null = null;
  /** Whether the response was sent while the import is still running. */
  isAnswered = false;
  /** Whether the result could not be stored. A sweep soon ends the import and reports that. */
  isOutcomeUnknown = false;
  /** Whether its progress is being stored. */
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

  /** Aborted, with the reason, when the import must end early. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  /** Ends the import early. Committed steps are kept. */
  stop(reason: Error): void {
    this.stopping.abort(reason);
  }

  requireRunning(): void {
    this.signal.throwIfAborted();
  }

  /**
   * Marks a column as used by its first value. The value was checked against `column`.
   * @throws AppError `conflict` if the column has changed since.
   */
  use(column: SchemaColumn): void {
    const now = this.schema.columns.get(column.key);
    if (!now || !isSameColumn(column, now)) throw columnsChanged();
    this.usedKeys?.add(column.key);
  }

  /** Returns the columns that rows may have values for. */
  usedColumns(): SchemaColumn[] {
    const columns = [...this.schema.columns.values()];
    return this.usedKeys ? columns.filter(({ key }) => this.usedKeys?.has(key)) : columns;
  }
}
