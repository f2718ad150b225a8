import type { ColumnType } from '../../../datagrids/column-type/column-type';
import { valueCheckFor } from '../../../datagrids/column-type/value-check';
import { JSON_NUMBER } from '../check/cell-value';

type Holds = (cell: string) => boolean;

const accepts = (type: ColumnType): Holds => {
  const check = valueCheckFor(type, {});
  return (cell) => check(cell).ok;
};

const isDatetime = accepts('datetime');
const isPlainNumber: Holds = (cell) =>
  String(Number(cell)) === cell && JSON_NUMBER.test(cell) && !cell.includes('e');

/**
 * Types that a new column can have, the narrowest first. Each type prints the same text that it
 * reads: 1.50 is a decimal, because a number would be printed as 1.5, and 1e5 is text, because a
 * number would be printed as 100000. Two spellings are normalized on purpose: true and false become
 * lowercase, and UTC times get milliseconds. A time with an offset is text, because the offset
 * would be lost.
 */
const TYPES: readonly (readonly [ColumnType, Holds])[] = [
  ['integer', (cell) => isPlainNumber(cell) && Number.isSafeInteger(Number(cell))],
  ['number', (cell) => isPlainNumber(cell)],
  ['decimal', accepts('decimal')],
  ['boolean', (cell) => /^(?:true|false)$/i.test(cell)],
  ['date', accepts('date')],
  ['datetime', (cell) => cell.endsWith('Z') && isDatetime(cell)],
];

/** Returns the narrowest type that accepts all cells that are not empty; `text` if no type does. */
export function cellType(cells: Iterable<string>): ColumnType {
  let left = TYPES;
  for (const cell of cells) {
    if (cell !== '') left = left.filter(([, holds]) => holds(cell));
    if (left.length === 0) break;
  }
  // If all cells are empty, nothing is known about the column.
  return left === TYPES ? 'text' : (left[0]?.[0] ?? 'text');
}
