import { COLUMN_KEY } from '../../../datagrids/column/column-key';

const MAX_KEY_LENGTH = 63;
const MAX_TITLE_LENGTH = 200;
/** Number of UTF-16 code units of a cell that are used. */
const MAX_CELL_LENGTH = 1_000;

/**
 * Returns a key that is not in `taken` for a header cell: the cell's letters and digits in
 * camelCase, or `column` if they do not make a valid key. A number is appended if the key is taken.
 */
export function columnKey(cell: string, taken: ReadonlySet<string>): string {
  const words =
    cell
      .slice(0, MAX_CELL_LENGTH)
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .match(/[A-Za-z0-9_]+/g) ?? [];
  const [first = '', ...others] = words;
  const camel = [firstWord(first), ...others.map(capital)].join('').slice(0, MAX_KEY_LENGTH);
  const key = COLUMN_KEY.test(camel) ? camel : 'column';
  if (!taken.has(key)) return key;
  for (let number = 2; ; number += 1) {
    const suffix = String(number);
    const numbered = key.slice(0, MAX_KEY_LENGTH - suffix.length) + suffix;
    if (!taken.has(numbered)) return numbered;
  }
}

/** Returns a header cell truncated to the maximum length of a title, in characters. */
export function columnTitle(cell: string): string {
  const beginning = cell.slice(0, 2 * MAX_TITLE_LENGTH);
  return Array.from(beginning).slice(0, MAX_TITLE_LENGTH).join('').trim();
}

/** Lowercases the first word: `ID` becomes `id`, and `orderDate` is unchanged. */
function firstWord(word: string): string {
  const isCapitals = word === word.toUpperCase();
  return isCapitals ? word.toLowerCase() : word.charAt(0).toLowerCase() + word.slice(1);
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
