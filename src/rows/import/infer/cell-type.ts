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
 * Types that a column may get, the narrowest first. Each prints back what it reads: 1.50 is a
 * decimal, as a number would come back as 1.5, and 1e5 is text, as every number would come back as
 * 100000. Two spellings are made one on purpose: true and false are lowercase, and times of UTC
 * have milliseconds. An offset would be lost, so a time with one is text.
 */
const TYPES: readonly (readonly [ColumnType, Holds])[] = [
  ['integer', (cell) => isPlainNumber(cell) && Number.isSafeInteger(Number(cell))],
  ['number', (cell) => isPlainNumber(cell)],
  ['decimal', accepts('decimal')],
  ['boolean', (cell) => /^(?:true|false)$/i.test(cell)],
  ['date', accepts('date')],
  ['datetime', (cell) => cell.endsWith('Z') && isDatetime(cell)],
];

/** The narrowest type that holds all the cells that are not empty; text where none does. */
export function cellType(cells: Iterable<string>): ColumnType {
  let left = TYPES;
  for (const cell of cells) {
    if (cell !== '') left = left.filter(([, holds]) => holds(cell));
    if (left.length === 0) break;
  }
  // Of cells that are all empty nothing is known.
  return left === TYPES ? 'text' : (left[0]?.[0] ?? 'text');
}
