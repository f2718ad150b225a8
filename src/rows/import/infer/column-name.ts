import { COLUMN_KEY } from '../../../datagrids/column/column-key';

const MAX_KEY_LENGTH = 63;
const MAX_TITLE_LENGTH = 200;
/** As much of a cell as is looked at, in UTF-16 units. */
const MAX_CELL_LENGTH = 1_000;

/**
 * A key for a header cell that none of `taken` is: its letters and digits in camelCase, or
 * `column` where there are none that a key can have, numbered where need be.
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

/** As much of a header cell as a title may have. */
export function columnTitle(cell: string): string {
  const beginning = cell.slice(0, 2 * MAX_TITLE_LENGTH);
  return Array.from(beginning).slice(0, MAX_TITLE_LENGTH).join('').trim();
}

/** `ID` is `id`, `orderDate` stays as it is. */
function firstWord(word: string): string {
  const isCapitals = word === word.toUpperCase();
  return isCapitals ? word.toLowerCase() : word.charAt(0).toLowerCase() + word.slice(1);
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
