import { readDate, readDatetime } from '../values/read-date';
import { readNumber } from '../values/read-number';

type Rows = readonly (readonly string[])[];

/** A year as it names a column. An amount can look like one. */
const YEAR = /^(?:1[89]|20)\d\d$/;

const isDay = (cell: string): boolean =>
  readDate(cell, 'dmy') !== undefined ||
  readDate(cell, 'mdy') !== undefined ||
  readDatetime(cell, 'dmy') !== undefined;

const isPeriod = (cell: string): boolean => YEAR.test(cell) || isDay(cell);

const isTyped = (cell: string): boolean =>
  isDay(cell) || readNumber(cell, '.') !== undefined || readNumber(cell, ',') !== undefined;

/** Returns true if the first row looks like names, and not like a row of values. */
export function looksLikeHeader(rows: Rows): boolean {
  const [first = [], ...others] = rows;
  const typed = first.flatMap((cell, at) => (cell !== '' && isTyped(cell) ? [at] : []));
  if (typed.length > 0 && !arePeriods(first, typed, others)) return false;
  // A name that is also a value below it is a value, as in a list of colors without a header.
  return !others.some((row) =>
    row.some((cell, at) => cell !== '' && cell === first[at] && !typed.includes(at)),
  );
}

/**
 * Returns true if cells of the first row are years or days that name columns, as in
 * `Region,2021,2022`: each stands once, beside a name, and above values that are none.
 */
function arePeriods(first: readonly string[], typed: readonly number[], others: Rows): boolean {
  const names = typed.map((at) => first[at] ?? '');
  if (new Set(names).size < names.length || !names.every(isPeriod)) return false;
  if (!first.some((cell, at) => cell !== '' && !typed.includes(at))) return false;
  const below = others.flatMap((row) => typed.map((at) => row[at] ?? '')).filter(Boolean);
  return 2 * below.filter(isPeriod).length < below.length;
}
