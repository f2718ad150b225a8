import type { SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import type { StreamPace } from '../../platform/fairness/stream-pace';
import { CellRowCheck, type Cells } from '../check/cell-row-check';
import { type CheckedRows, checkedRows, type RowRules } from '../check/row-rules';
import type { SourceRecord } from '../../common/encoding/utf8-text';
import type { RunningImport } from '../progress/running-import';

/** Values of a row of a query's result, in the order of its columns, as in a CSV file. */
export type ResultBatch = readonly Cells[];

/**
 * The rows of a query in another database, as the input of an import. A row counts as a line. Waiting
 * for rows counts as waiting for a client does.
 */
export class ResultRows {
  /** Characters of the values read so far. */
  readBytes = 0;
  readonly totalBytes = null;

  /**
   * @param columns Columns of the datagrid, in the order of the values.
   * @param batches Read once. A failure fails the import.
   * @param onSlow Returns the error of a database that sends too slowly.
   */
  constructor(
    readonly columns: readonly SchemaColumn[],
    private readonly batches: AsyncIterable<ResultBatch>,
    private readonly onSlow: () => Error,
  ) {}

  /** Yields the rows, checked against the columns. @throws the reason if the import is stopped. */
  async *rows(
    running: RunningImport,
    rules: RowRules,
    pace: StreamPace,
  ): AsyncGenerator<CheckedRows> {
    running.usedKeys = new Set();
    for (const column of this.columns) running.use(column);
    const defaulted = running.useDefaults(this.columns);
    const check = new CellRowCheck(this.columns, rules, null, defaulted);
    const batches = this.batches[Symbol.asyncIterator]();
    let line = 1;
    for (;;) {
      const next = await this.next(batches, running.signal, pace);
      if (next.done === true) return;
      const records: SourceRecord<Cells>[] = next.value.map((content) => {
        const length = content.reduce((sum, cell) => sum + (cell?.length ?? 0), 0);
        this.readBytes += length;
        pace.recordTransfer(length);
        line += 1;
        return { line: line - 1, nextLine: line, length, content };
      });
      yield* checkedRows(running.writer.accountId, check, records);
    }
  }

  /** Nothing is left of a result. Who opened it closes it. */
  leave(): void {
    // The rest of a body would be discarded here.
  }

  private async next(
    batches: AsyncIterator<ResultBatch>,
    signal: AbortSignal,
    pace: StreamPace,
  ): Promise<IteratorResult<ResultBatch>> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        end();
        reject(signal.reason as Error);
      };
      const end = (): void => {
        stopWaiting();
        signal.removeEventListener('abort', stop);
      };
      const stopWaiting = pace.startWaiting(() => {
        end();
        reject(this.onSlow());
      });
      signal.addEventListener('abort', stop);
      if (signal.aborted) {
        stop();
        return;
      }
      batches.next().then(
        (result) => {
          end();
          resolve(result);
        },
        (error: unknown) => {
          end();
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }
}
