import { Injectable } from '@nestjs/common';
import { conflict, type FieldError } from '../../common/error/app-error';
import type { Author } from '../change-log/change-log-sql';
import type { ColumnOptions } from '../column-type/descriptor';
import type { ColumnType } from '../column-type/column-type';
import type { TypeRules } from '../column-type/column-type';

/** Owner, storage location and type of a column. */
export interface StoredColumn {
  readonly accountId: string;
  readonly datagridId: string;
  readonly id: number;
  readonly slot: string;
  readonly type: ColumnType;
  readonly options: ColumnOptions;
}

/** Requirements for the values of a column. */
export interface ValueRule {
  readonly mayBeMissing: boolean;
  /** Type that the values must have; `null` if any value is allowed. */
  readonly type: TypeRules | null;
}

/** Rows that conflict with a change, among those that were checked. */
export interface ConflictingRows {
  /** Number of rows checked. */
  readonly checked: number;
  readonly conflicting: number;
  /** The first few conflicting rows. */
  readonly examples: readonly {
    readonly rowId: number;
    /** `null` if the row has no value. A long value is truncated, as text. */
    readonly value: unknown;
  }[];
}

/** Example of a conversion. Long values are truncated, as text. */
export interface ConvertedExample {
  readonly rowId: number;
  readonly value: unknown;
  /** `null` if the value does not convert. */
  readonly converted: unknown;
}

/** Expected result of a conversion, among the rows that were checked. */
export interface ConversionPreview {
  readonly checked: number;
  /** Number of rows whose value changes to another one. */
  readonly converted: number;
  /** Number of rows whose value does not convert, so that they would have none. */
  readonly emptied: number;
  /** The first few rows of each kind. */
  readonly convertedExamples: readonly ConvertedExample[];
  readonly emptiedExamples: readonly ConvertedExample[];
}

/**
 * Hooks of the module that stores the values of columns. Methods that change data run inside the
 * caller's transaction and lock. The number of concurrent scans is limited, in total and per
 * account.
 * @throws AppError `rate_limited` or `unavailable` if too many scans are running.
 */
export interface ColumnHooks {
  /** Returns the number of rows without a value in the column. */
  countMissing(column: StoredColumn): Promise<number>;
  /** Returns the number of rows whose value `type` rejects or would store in another form. */
  countRejected(column: StoredColumn, type: TypeRules): Promise<number>;
  /**
   * Makes the values unique from now on.
   * @returns the number of rows with the same value as an earlier row. If it is not 0, the
   *   transaction must not commit.
   */
  claimUnique(column: StoredColumn): Promise<number>;
  /**
   * Converts the values to `type`, as one write of the changed rows. Values that do not convert are
   * cleared. Maintains neither claims on unique values nor index entries of the column.
   * @throws AppError `query_too_expensive` if it takes too long; `conflict` if a row grows too large.
   */
  convert(author: Author, column: StoredColumn, type: TypeRules): Promise<void>;
  /** Returns the number of rows with a value that does not convert to `type`. */
  countUnconvertible(column: StoredColumn, type: TypeRules): Promise<number>;
  /** Previews `convert`. Takes no lock and stops after a few seconds. */
  previewConversion(column: StoredColumn, type: TypeRules): Promise<ConversionPreview>;
  /**
   * Returns the choices that a column of type `select` or `multiSelect` needs to hold the values, in
   * order of the rows, up to `max` and one more. Texts that are too long for a choice are skipped.
   */
  listChoices(column: StoredColumn, type: ColumnType, max: number): Promise<readonly string[]>;
  /**
   * Logs the rows that have a value in a restored column as changed, with the last revision.
   * @throws AppError `conflict` if a row is too large with its value.
   */
  logValues(column: StoredColumn): Promise<void>;
  /** Returns the id of the first row of a datagrid; `null` if it has none. */
  findFirstRow(datagridId: string): Promise<number | null>;
  /**
   * Gives all rows their numbers: their ids plus `offset`.
   * @throws AppError `query_too_expensive` if it takes too long.
   */
  number(column: StoredColumn, offset: number): Promise<void>;
  /** Clears the values of rows that were written since a time. @throws as `number` */
  clearWritten(column: StoredColumn, since: Date): Promise<void>;
  /** Deletes the claims on the column's unique values. */
  releaseUnique(column: StoredColumn): Promise<void>;
  /** Finds rows whose value `rule` rejects. Takes no lock and stops after a few seconds. */
  findRejected(column: StoredColumn, rule: ValueRule): Promise<ConflictingRows>;
  /**
   * Finds rows with the same value as an earlier row. Takes no lock.
   * @throws AppError `query_too_expensive`
   */
  findRepeated(column: StoredColumn): Promise<ConflictingRows>;
}

/**
 * The stored values of columns, for changes of a column. The module that stores values imports this
 * one, not the reverse, so it registers its hooks when it starts.
 */
@Injectable()
export class ColumnContents {
  private registered: ColumnHooks | undefined;

  register(hooks: ColumnHooks): void {
    this.registered = hooks;
  }

  get hooks(): ColumnHooks {
    if (!this.registered) throw new Error('No module has registered the values of columns.');
    return this.registered;
  }
}

/**
 * Returns the number of rows that conflict with a change of `field` as an error detail, or an empty
 * array if it is 0. `one` and `many` describe the conflict for one row and for several.
 */
export function conflictDetails(
  field: string,
  count: number,
  one: string,
  many: string,
): FieldError[] {
  if (count === 0) return [];
  const message = count === 1 ? `1 row ${one}` : `${count.toLocaleString('en-US')} rows ${many}`;
  return [{ field, code: 'conflicting_rows', message }];
}

/**
 * Returns the error detail for rows without a value, which conflict with a change to `required`.
 */
export function rowsWithoutValue(count: number): FieldError[] {
  return conflictDetails('required', count, 'has no value', 'have no value');
}

/** Maximum number of rows of a datagrid whose column is converted, under its lock. */
export const MAX_CONVERTED_ROWS = 500_000;

/** @throws AppError `conflict` if a datagrid has too many rows to convert a column. */
export function rejectLargeConversion(rowCount: number): void {
  if (rowCount <= MAX_CONVERTED_ROWS) return;
  const [rows, max] = [rowCount, MAX_CONVERTED_ROWS].map((n) => n.toLocaleString('en-US'));
  throw conflict(
    `This datagrid has ${String(rows)} rows. A column can be converted in up to ${String(max)} rows. Add a column and write the converted values to it.`,
  );
}

/** @throws AppError `conflict` if a datagrid has too many rows to set all values of a column. */
export function rejectLargeReadOnly(rowCount: number): void {
  if (rowCount <= MAX_CONVERTED_ROWS) return;
  const [rows, max] = [rowCount, MAX_CONVERTED_ROWS].map((n) => n.toLocaleString('en-US'));
  throw conflict(
    `This datagrid has ${String(rows)} rows. The service sets the values of a column in up to ${String(max)} rows. Create a datagrid with the column, and import the rows into it.`,
  );
}

/** Returns the error detail for values that a required column would lose. */
export function unconvertibleValues(type: ColumnType, count: number): FieldError[] {
  return conflictDetails('type', count, ...unconvertible(type));
}

function unconvertible(type: ColumnType): [string, string] {
  const what = `a value that does not convert to type ${type}`;
  return [`has ${what}`, `have ${what}`];
}

/** @throws AppError `conflict` naming each conflict with a change. */
export function rejectConflictingRows(details: readonly FieldError[]): void {
  const [first] = details;
  if (first) throw conflict(`${first.field}: ${first.message}`, details);
}
