import { invalidRequest, MAX_COUNTED_DETAILS } from '../../common/error/app-error';
import type { FieldError } from '../../common/error/field-error';

export type Members = Readonly<Record<string, unknown>>;

/** Returns the members of `value`, which must be an object. @throws AppError `invalid_request` */
export function members(value: unknown, field: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw refused(field, 'wrong_type', 'must be a JSON object');
}

/**
 * Rejects members whose names are not in `names`.
 * @param prefix Path to the object with a trailing dot; empty for the body.
 * @throws AppError `invalid_request`
 */
export function refuseOthers(object: Members, names: readonly string[], prefix: string): void {
  const unknown: FieldError[] = [];
  for (const name of Object.keys(object)) {
    if (names.includes(name)) continue;
    const message = `is not a known property; expected one of: ${names.join(', ')}`;
    unknown.push({ field: `${prefix}${name}`, code: 'unknown_property', message });
    if (unknown.length === MAX_COUNTED_DETAILS) break;
  }
  if (unknown.length > 0) throw invalidRequest(unknown);
}

/**
 * Returns `value`, which must be an array of 1 to `most` items.
 * @throws AppError `invalid_request`
 */
export function listOf(value: unknown, field: string, most: number, items: string): unknown[] {
  if (!Array.isArray(value)) throw refused(field, 'wrong_type', `must be an array of ${items}`);
  if (value.length < 1 || value.length > most) {
    throw refused(field, 'out_of_range', `must contain 1 to ${String(most)} ${items}`);
  }
  return value;
}

/** Returns a 400 error for one field. */
export function refused(field: string, code: string, message: string): Error {
  return invalidRequest([{ field, code, message }]);
}
