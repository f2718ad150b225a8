import { invalidRequest } from '../../../common/error/app-error';
import { valueClass } from '../../../datagrids/column-type/value-class';
import { MAX_SORT_COLUMNS, type SortKey } from '../sort/sort';

/** Where a walk has come to: the sort values and the id of the last row given. */
export interface CursorPosition {
  /** As text, in the order of the sort keys; `null` for no value. */
  readonly values: readonly (string | null)[];
  readonly rowId: number;
}

const VERSION = 2;
/** Begins every value that is there: an empty part is no value, and not an empty text. */
const PRESENT = '=';

/** Never with an exponent: a double has up to 309 digits before the point, and 340 after it. */
const NUMBER = /^-?\d{1,400}(\.\d{1,400})?$/;
/** Of a version, column ids and a row id, in base64. */
const MAX_HEAD_LENGTH = 200;
const ROW_ID = /^[1-9]\d{0,15}$/;

/** Stands for the order that a cursor belongs to. */
function orderOf(sort: readonly SortKey[]): string {
  return sort
    .map(({ column, isDescending }) => `${isDescending ? '-' : ''}${String(column.id)}`)
    .join();
}

/**
 * An opaque text for clients to hand back: version, order and row id, then each sort value. The
 * parts are cut by dots, so that a cursor of any length that a client makes up costs next to
 * nothing to reject.
 */
export function encodeCursor(sort: readonly SortKey[], { values, rowId }: CursorPosition): string {
  const head = [VERSION, orderOf(sort), rowId].join(':');
  return [head, ...values.map((value) => (value === null ? '' : PRESENT + value))]
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
}

/** @throws AppError `invalid_request` where it is no cursor, or one of another order. */
export function decodeCursor(sort: readonly SortKey[], text: string): CursorPosition {
  // One more than there may be.
  const parts = text.split('.', MAX_SORT_COLUMNS + 2);
  const [head = '', ...encoded] = parts;
  if (head.length > MAX_HEAD_LENGTH) throw madeUp();
  const [version, order, id = ''] = decoded(head).split(':');
  const rowId = ROW_ID.test(id) ? Number(id) : NaN;
  if (version !== String(VERSION) || !Number.isSafeInteger(rowId)) throw madeUp();
  if (order !== orderOf(sort) || encoded.length !== sort.length) {
    throw refused('cursor_mismatch', 'was issued for a different sort order');
  }
  const values = encoded.map((part) => (part === '' ? null : valueOf(decoded(part))));
  if (!sort.every((key, index) => isPrinted(key, values[index] ?? null))) throw madeUp();
  return { values, rowId };
}

function decoded(part: string): string {
  return Buffer.from(part, 'base64url').toString('utf8');
}

function valueOf(part: string): string {
  if (!part.startsWith(PRESENT)) throw madeUp();
  return part.slice(PRESENT.length);
}

/** Whether PostgreSQL prints a value of the key's column so: it would not read just anything. */
function isPrinted({ column }: SortKey, value: string | null): boolean {
  if (value === null) return true;
  return valueClass(column.type) === 'number' ? NUMBER.test(value) : !value.includes('\0');
}

function madeUp(): Error {
  return refused('invalid_format', 'is not a valid cursor');
}

function refused(code: string, message: string): Error {
  return invalidRequest([{ field: 'cursor', code, message }]);
}
