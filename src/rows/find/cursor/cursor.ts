import { invalidRequest } from '../../../common/error/app-error';
import { valueClass } from '../../../datagrids/column-type/value-class';
import { MAX_SORT_COLUMNS, type SortKey } from '../sort/sort';

/** Position of a keyset scan: the sort values and the id of the last row returned. */
export interface CursorPosition {
  /** Sort values as text, in the order of the sort keys; `null` for no value. */
  readonly values: readonly (string | null)[];
  readonly rowId: number;
}

const VERSION = 2;
/** Prefix of every value, so that an empty part means no value instead of an empty text. */
const PRESENT = '=';

/** A number without exponent. A double has up to 309 digits before the point, and 340 after it. */
const NUMBER = /^-?\d{1,400}(\.\d{1,400})?$/;
/** Maximum length of the head (version, column ids and row id), in base64 characters. */
const MAX_HEAD_LENGTH = 200;
const ROW_ID = /^[1-9]\d{0,15}$/;

/** Returns text that identifies the sort order of a cursor. */
function orderOf(sort: readonly SortKey[]): string {
  return sort
    .map(({ column, isDescending }) => `${isDescending ? '-' : ''}${String(column.id)}`)
    .join();
}

/**
 * Returns a cursor, which is opaque to clients: version, order and row id, then each sort value.
 * Dots separate the parts, so that a forged cursor of any length costs next to nothing to reject.
 */
export function encodeCursor(sort: readonly SortKey[], { values, rowId }: CursorPosition): string {
  const head = [VERSION, orderOf(sort), rowId].join(':');
  return [head, ...values.map((value) => (value === null ? '' : PRESENT + value))]
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
}

/** Reads a cursor. @throws AppError `invalid_request` if it is invalid or of another sort order. */
export function decodeCursor(sort: readonly SortKey[], text: string): CursorPosition {
  // Reads one part more than allowed, so that too many parts are detected.
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

/** Whether the value has a form that PostgreSQL prints for the key's column, and so can parse. */
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
