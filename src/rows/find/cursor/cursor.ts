import { z } from 'zod';
import { invalidRequest } from '../../../common/error/app-error';
import { valueClass } from '../../../datagrids/column-type/value-class';
import type { SortKey } from '../sort/sort';

/** Where a walk has come to: the sort values and the id of the last row given. */
export interface CursorPosition {
  /** As text, in the order of the sort keys; `null` for no value. */
  readonly values: readonly (string | null)[];
  readonly rowId: number;
}

const VERSION = 1;

/** Never with an exponent: a double has up to 309 digits before the point, and 340 after it. */
const NUMBER = /^-?\d{1,400}(\.\d{1,400})?$/;

const content = z.tuple([
  z.literal(VERSION),
  z.string(),
  z.array(z.string().nullable()),
  z.number().int().positive(),
]);

/** Stands for the order that a cursor belongs to. */
function orderOf(sort: readonly SortKey[]): string {
  return sort
    .map(({ column, isDescending }) => `${isDescending ? '-' : ''}${String(column.id)}`)
    .join();
}

/** An opaque text for clients to hand back. */
export function encodeCursor(sort: readonly SortKey[], { values, rowId }: CursorPosition): string {
  return Buffer.from(JSON.stringify([VERSION, orderOf(sort), values, rowId])).toString('base64url');
}

/** @throws AppError `invalid_request` where it is no cursor, or one of another order. */
export function decodeCursor(sort: readonly SortKey[], text: string): CursorPosition {
  const parsed = content.safeParse(jsonOf(text));
  if (!parsed.success) throw madeUp();
  const [, order, values, rowId] = parsed.data;
  if (order !== orderOf(sort) || values.length !== sort.length) {
    throw refused('other_order', 'belongs to another sort');
  }
  if (!sort.every((key, index) => isPrinted(key, values[index] ?? null))) throw madeUp();
  return { values, rowId };
}

/** Whether PostgreSQL prints a value of the key's column so: it would not read just anything. */
function isPrinted({ column }: SortKey, value: string | null): boolean {
  if (value === null) return true;
  return valueClass(column.type) === 'number' ? NUMBER.test(value) : !value.includes('\0');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

function madeUp(): Error {
  return refused('invalid_format', 'is not a cursor that was given out here');
}

function refused(code: string, message: string): Error {
  return invalidRequest([{ field: 'cursor', code, message }]);
}
