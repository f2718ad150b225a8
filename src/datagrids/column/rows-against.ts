import { conflict, type AppError } from '../../common/error/app-error';
import type { FieldError } from '../../common/error/field-error';

/**
 * Returns the number of rows that conflict with a change of `field` as an error detail, or an empty
 * array if it is 0. `one` and `many` describe the conflict for one row and for several.
 */
export function rowsAgainst(field: string, count: number, one: string, many: string): FieldError[] {
  if (count === 0) return [];
  const message = count === 1 ? `1 row ${one}` : `${count.toLocaleString('en-US')} rows ${many}`;
  return [{ field, code: 'conflicting_rows', message }];
}

/**
 * Returns the error detail for rows without a value, which conflict with a change to `required`.
 */
export function rowsWithoutValue(count: number): FieldError[] {
  return rowsAgainst('required', count, 'has no value', 'have no value');
}

/** @throws AppError `conflict` naming each conflict with a change. */
export function refuseRowsAgainst(details: readonly FieldError[]): void {
  const [first] = details;
  if (first) throw refused(first, details);
}

function refused({ field, message }: FieldError, details: readonly FieldError[]): AppError {
  return conflict(`${field}: ${message}`, details);
}
