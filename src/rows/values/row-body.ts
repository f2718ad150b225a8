import { listOf, members, refused, refuseOthers, type Members } from './body-members';

export const MAX_ROWS = 1_000;

/** The values of one row as sent, and their path in the body. */
export interface RowValues {
  readonly values: Readonly<Record<string, unknown>>;
  readonly path: string;
}

export interface RowBodies {
  readonly rows: readonly RowValues[];
  /** Whether the body is `{ rows: […] }`. If so, the response is also a list. */
  readonly isList: boolean;
}

/** Reads `{ values }`. @throws AppError `invalid_request` */
export function readRowBody(body: unknown): RowValues {
  return readRow(members(body, 'body'), '');
}

/** Reads `{ values }` or `{ rows: [{ values }, …] }`. @throws AppError `invalid_request` */
export function readRowBodies(body: unknown): RowBodies {
  const object = members(body, 'body');
  if (!Object.hasOwn(object, 'rows')) return { rows: [readRow(object, '')], isList: false };
  refuseOthers(object, ['rows'], '');
  return { rows: readRows(object['rows']), isList: true };
}

/** Reads the member `rows` of a body: `[{ values }, …]`. @throws AppError `invalid_request` */
export function readRows(rows: unknown): RowValues[] {
  return listOf(rows, 'rows', MAX_ROWS, 'rows').map((row, index) => {
    const path = `rows.${String(index)}`;
    return readRow(members(row, path), `${path}.`);
  });
}

function readRow(row: Members, prefix: string): RowValues {
  refuseOthers(row, ['values'], prefix);
  return readValues(row, prefix);
}

/** Reads the member `values` of an object. @throws AppError `invalid_request` */
export function readValues(object: Members, prefix: string): RowValues {
  const path = `${prefix}values`;
  if (!Object.hasOwn(object, 'values')) throw refused(path, 'required', 'is required');
  return { values: members(object['values'], path), path };
}
