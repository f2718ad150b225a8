import { conflict, type AppError } from '../../common/error/app-error';
import type { FieldError } from '../../common/error/field-error';

/**
 * How many rows conflict with a change of a column's `field`, as one detail of a failure; nothing
 * where none does. `one` and `many` say what they do, of one row and of several.
 */
export function rowsAgainst(field: string, count: number, one: string, many: string): FieldError[] {
  if (count === 0) return [];
  const message = count === 1 ? `1 row ${one}` : `${count.toLocaleString('en-US')} rows ${many}`;
  return [{ field, code: 'conflicting_rows', message }];
}

/** The rows without a value, which conflict with making a column `required`. */
export function rowsWithoutValue(count: number): FieldError[] {
  return rowsAgainst('required', count, 'has no value', 'have no value');
}

/** @throws AppError `conflict` naming each thing that conflicts with a change. */
export function refuseRowsAgainst(details: readonly FieldError[]): void {
  const [first] = details;
  if (first) throw refused(first, details);
}

function refused({ field, message }: FieldError, details: readonly FieldError[]): AppError {
  return conflict(`${field}: ${message}`, details);
}
