import { Injectable } from '@nestjs/common';
import { conflict, type FieldError } from '../../common/error/app-error';
import type { ColumnType } from '../column-type/column-type';
import type { TypeRules } from '../column-type/column-type';

/** Owner, storage location and type of a column. */
export interface StoredColumn {
  readonly accountId: string;
  readonly datagridId: string;
  readonly id: number;
  readonly slot: string;
  readonly type: ColumnType;
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

/** @throws AppError `conflict` naming each conflict with a change. */
export function rejectConflictingRows(details: readonly FieldError[]): void {
  const [first] = details;
  if (first) throw conflict(`${first.field}: ${first.message}`, details);
}
