import { invalidRequest } from '../../common/error/app-error';
import type { FieldError } from '../../common/error/field-error';

export const MOST_ROWS = 1_000;

/** The values of one row as sent, and the way to them in the body. */
export interface RowValues {
  readonly values: Readonly<Record<string, unknown>>;
  readonly path: string;
}

export interface RowBodies {
  readonly rows: readonly RowValues[];
  /** Whether the body was `{ rows: […] }`: the answer then is a list too. */
  readonly isList: boolean;
}

type Members = Readonly<Record<string, unknown>>;

/** Reads `{ values }`. @throws AppError `invalid_request` */
export function readRowBody(body: unknown): RowValues {
  return readRow(members(body, 'body'), '');
}

/** Reads `{ values }` or `{ rows: [{ values }, …] }`. @throws AppError `invalid_request` */
export function readRowBodies(body: unknown): RowBodies {
  const object = members(body, 'body');
  if (!Object.hasOwn(object, 'rows')) return { rows: [readRow(object, '')], isList: false };
  refuseOthers(object, 'rows', '');
  const { rows } = object;
  if (!Array.isArray(rows)) throw refused('rows', 'wrong_type', 'must be an array of rows');
  if (rows.length < 1 || rows.length > MOST_ROWS) {
    throw refused('rows', 'out_of_range', `must hold 1 to ${String(MOST_ROWS)} rows`);
  }
  const read = rows.map((row: unknown, index) => {
    const path = `rows.${String(index)}`;
    return readRow(members(row, path), `${path}.`);
  });
  return { rows: read, isList: true };
}

function readRow(row: Members, prefix: string): RowValues {
  refuseOthers(row, 'values', prefix);
  const path = `${prefix}values`;
  if (!Object.hasOwn(row, 'values')) throw refused(path, 'required', 'is missing');
  return { values: members(row['values'], path), path };
}

function members(value: unknown, field: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw refused(field, 'wrong_type', 'must be a JSON object');
}

function refuseOthers(object: Members, only: string, prefix: string): void {
  const unknown = Object.keys(object)
    .filter((name) => name !== only)
    .map((name): FieldError => {
      const message = 'is not a member of this object';
      return { field: `${prefix}${name}`, code: 'unknown_member', message };
    });
  if (unknown.length > 0) throw invalidRequest(unknown);
}

function refused(field: string, code: string, message: string): Error {
  return invalidRequest([{ field, code, message }]);
}
