import { Injectable } from '@nestjs/common';
import { COLUMN_TYPES } from '../column-type/column-type';
import { ColumnContents, rejectLargeReadOnly, type StoredColumn } from './column-contents';
import { type ColumnRecord, numberOffset } from './column-record';

type StoredRecord = ColumnRecord & StoredColumn;

/**
 * Values of rows that exist, in columns whose values the service sets. Call its methods under the
 * datagrid's lock, and those that change rows after the change of the columns was logged.
 */
@Injectable()
export class ReadOnlyColumnService {
  constructor(private readonly contents: ColumnContents) {}

  /**
   * Returns the distance between the ids of rows and their numbers in a new column: the first row, or
   * the next one if there is none, has the number `start`. `null` for columns of other types.
   * @throws AppError `conflict` if the datagrid has too many rows.
   */
  async offsetOf(
    { options, datagridId }: StoredRecord,
    lastRowId: number,
    rowCount: number,
  ): Promise<number | null> {
    if (options.start === undefined) return null;
    rejectLargeReadOnly(rowCount);
    const firstId = rowCount > 0 ? await this.contents.hooks.findFirstRow(datagridId) : null;
    return numberOffset(options, firstId ?? lastRowId + 1);
  }

  /**
   * Gives all rows their numbers in a new column, and logs them as changed.
   * @throws AppError `query_too_expensive` if it takes too long; `conflict` if a row is too large with
   *   its number; `rate_limited` or `unavailable` if too many rows are being read already.
   */
  async number(column: StoredColumn, offset: number): Promise<void> {
    await this.contents.hooks.number(column, offset);
    await this.contents.hooks.logValues(column);
  }

  /**
   * Sets the values that a restored column would have if it had not been removed: rows that were
   * created since have numbers. Rows that were written since have no `updatedBy`, because their authors
   * are not known.
   * @param removedAt When the column was removed.
   * @throws as `number`, and AppError `conflict` if the datagrid has too many rows.
   */
  async restore(column: StoredRecord, removedAt: Date | null, rowCount: number): Promise<void> {
    const { source } = COLUMN_TYPES[column.type];
    if (source === undefined || rowCount === 0) return;
    if (typeof column.numberOffset === 'number') {
      rejectLargeReadOnly(rowCount);
      await this.contents.hooks.number(column, column.numberOffset);
    } else if (source === 'updater' && removedAt) {
      rejectLargeReadOnly(rowCount);
      await this.contents.hooks.clearWritten(column, removedAt);
    }
  }
}
