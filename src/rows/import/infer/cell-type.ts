import { isExactNumber } from '../../../common/json/exact-number';
import type { ColumnType } from '../../../datagrids/column-type/column-type';
import { valueCheckFor } from '../../../datagrids/column-type/value-check';
import { JSON_NUMBER } from '../check/cell-value';

type Holds = (cell: string) => boolean;

const accepts = (type: ColumnType): Holds => {
  const check = valueCheckFor(type, {});
  return (cell) => check(cell).ok;
};

/**
 * Types that a column may get, the narrowest first. Of the numbers each gives back what was
 * written: 1.50 is a decimal, since as a number it would come back as 1.5.
 */
const TYPES: readonly (readonly [ColumnType, Holds])[] = [
  ['integer', (cell) => isPlainNumber(cell) && Number.isSafeInteger(Number(cell))],
  ['number', (cell) => isPlainNumber(cell)],
  ['decimal', accepts('decimal')],
  ['number', (cell) => JSON_NUMBER.test(cell) && isExactNumber(cell)],
  ['boolean', (cell) => /^(?:true|false)$/i.test(cell)],
  ['date', accepts('date')],
  ['datetime', accepts('datetime')],
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

const isPlainNumber: Holds = (cell) => String(Number(cell)) === cell && JSON_NUMBER.test(cell);
