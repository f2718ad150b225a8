import type { Writer } from '../../datagrids/change-log/change-log-sql';
import {
  type DatagridSchema,
  type DefaultedColumn,
  findColumn,
  isSameColumn,
  type SchemaColumn,
} from '../../datagrids/schema/datagrid-schema';
import { Slices } from '../../platform/fairness/event-loop-turns';
import type { MatchedRows } from './matched-rows';
import type { CheckedRow, CheckedRows } from '../check/row-rules';
import type { ImportOptions, ImportReport } from '../job/import.entity';
import type { ImportRef } from '../job/import.repository';
import type { FileFormat } from '../read/csv-input';
import type { LinkKey } from '../../rows/link/link-key';
import type { LineStage, StagedStep } from '../stage/line-stage.repository';
import { columnsChanged, ImportProgress, MAX_REPORTED, rejectedLines } from './import-progress';

/** How an import may write, and as long as it may. */
export interface ImportAccess {
  /** Account into whose datagrid it writes, and author of the changes. */
  readonly writer: Writer;
  /** Checks before each step that the import may still write. @throws AppError */
  requireStill(): Promise<void>;
  /** Checks the same in the transaction of each step, which rolls back if this throws. */
  requireInStep(): Promise<void>;
  /**
   * Watches that the import may still write.
   * @param end Called once, with the reason, if it may no longer.
   * @returns a function that stops the watch.
   */
  watch(end: (reason: Error) => void): () => void;
}

/** An import that this process runs. */
export class RunningImport {
  readonly progress: ImportProgress;
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
  hasResponse = false;
  /** Whether the result could not be stored. A sweep soon ends the import and reports that. */
  isOutcomeUnknown = false;
  /** Whether its progress is being stored. */
  isBeating = false;
  private readonly stopping = new AbortController();

  constructor(
    readonly importRef: ImportRef,
    readonly access: ImportAccess,
    readonly options: ImportOptions,
    /** The columns that lines are checked and written against. */
    public schema: DatagridSchema,
    /** Rows that lines have matched or created. Each can match only one line; `null` if any number. */
    readonly matched: MatchedRows | null = null,
    /** Link columns whose values are keys of linked rows. */
    readonly linkKeys: readonly LinkKey[] = [],
  ) {
    this.format = options;
    this.progress = new ImportProgress(options.startLine);
  }

  get writer(): Writer {
    return this.access.writer;
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
    const now = findColumn(this.schema, column.key);
    if (!now || !isSameColumn(column, now)) throw columnsChanged();
    this.usedKeys?.add(column.key);
  }

  /**
   * Returns the columns whose default values rows get that do not name them, without those in
   * `named`, and marks them as used. There are none in an upsert, which adds default values when it
   * creates a row.
   */
  useDefaults(named: readonly (SchemaColumn | null)[] = []): readonly DefaultedColumn[] {
    if (this.options.mode !== 'insert') return [];
    const keys = new Set(named.map((column) => column?.key));
    const defaulted = this.schema.defaulted.filter(({ key }) => !keys.has(key));
    for (const { key } of defaulted) this.usedKeys?.add(key);
    return defaulted;
  }

  /** Returns the columns that rows may have values for. */
  usedColumns(): SchemaColumn[] {
    const columns = [...this.schema.columns.values()];
    return this.usedKeys ? columns.filter(({ key }) => this.usedKeys?.has(key)) : columns;
  }
}

/** Maximum length of a step, in UTF-16 code units of its rows. */
const MAX_STEP_LENGTH = 16 * 1024 * 1024;

/**
 * The same for a datagrid with link columns. The links of a step are checked together, and a longer step
 * could have so many of them that other requests wait.
 */
const MAX_LINKED_STEP_LENGTH = 1024 * 1024;

/**
 * Receives the rows of a body, stages valid rows, and queues them in steps. A step is queued when a
 * row follows that does not fit into it. So a file that fits into one step is written only after it
 * has been read completely, and either as a whole or not at all.
 */
export class ImportReceipt {
  constructor(
    private readonly running: RunningImport,
    private readonly stage: LineStage,
    private readonly queue: StepQueue<StagedStep>,
    private readonly stepRows: number,
  ) {}

  /**
   * Receives the body.
   * @param onChunk Called after each part of the body.
   * @throws AppError if the body is invalid, or if a line is rejected and `onError` is `abort`.
   */
  async run(batches: AsyncIterable<CheckedRows>, onChunk: () => void): Promise<void> {
    const { progress, writer } = this.running;
    const slices = new Slices(writer.accountId);
    for await (const rows of batches) {
      this.running.requireRunning();
      for (const row of rows) {
        if (slices.isDue()) await slices.next();
        if (this.accepts(row)) {
          // The current row belongs to the next step.
          if (this.isStepFull()) await this.handOn(progress.rowsRead - 1);
          if (this.stage.add(row)) await this.stage.flush();
        }
        progress.nextLine = row.nextLine;
      }
      onChunk();
    }
    if (this.mayAbort && progress.rejected > 0) throw this.abort();
    await this.handOn(progress.rowsRead);
  }

  private get mayAbort(): boolean {
    return this.running.options.onError === 'abort';
  }

  private isStepFull(): boolean {
    const hasLinks = this.running.schema.links.length > 0;
    const maxLength = hasLinks ? MAX_LINKED_STEP_LENGTH : MAX_STEP_LENGTH;
    return this.stage.rows >= this.stepRows || this.stage.length >= maxLength;
  }

  /**
   * Counts a row. If `onError` is `abort`, nothing is staged after the first rejected line. As long
   * as nothing has been written, the following lines are only checked, in order to report as many
   * errors as possible at once.
   * @returns whether to stage the row.
   */
  private accepts({ line, problems }: CheckedRow): boolean {
    const { progress } = this.running;
    progress.rowsRead += 1;
    if (problems.length > 0) progress.reject(line, problems);
    if (!this.mayAbort || progress.rejected === 0) return problems.length === 0;
    const isEnough = progress.rowsRead >= this.stepRows || progress.rejected >= MAX_REPORTED;
    if (this.queue.hasBegun || isEnough) throw this.abort();
    return false;
  }

  private async handOn(rowsRead: number): Promise<void> {
    const { nextLine, rejectedRead: rejected } = this.running.progress;
    const step = await this.stage.endStep({ nextLine, rowsRead, rejected });
    if (step) await this.queue.put(step);
  }

  private abort(): Error {
    const { errors, rejected } = this.running.progress;
    return rejectedLines(errors, rejected);
  }
}

/**
 * Processes items one after another in the background. The producer waits if it is too far ahead.
 */
export class StepQueue<Item> {
  private last: Promise<void> = Promise.resolve();
  private waiting = 0;
  private hasFailed = false;
  private onTaken: (() => void) | null = null;
  /** Whether any item was ever queued. */
  hasBegun = false;

  constructor(
    private readonly work: (item: Item) => Promise<void>,
    private readonly maxWaiting: number,
  ) {}

  /**
   * Queues an item. Waits while `maxWaiting` items are waiting.
   * @throws the error of an earlier item
   */
  async put(item: Item): Promise<void> {
    this.hasBegun = true;
    if (this.hasFailed) await this.last;
    while (this.waiting >= this.maxWaiting) {
      await new Promise<void>((resolve) => (this.onTaken = resolve));
      if (this.hasFailed) await this.last;
    }
    this.waiting += 1;
    this.last = this.last.then(() => this.take(item));
    this.last.catch(() => {
      this.hasFailed = true;
      this.onTaken?.();
    });
  }

  /** Waits until all items are processed. @throws the error of an item */
  async end(): Promise<void> {
    await this.last;
  }

  private async take(item: Item): Promise<void> {
    this.waiting -= 1;
    this.onTaken?.();
    await this.work(item);
  }
}
