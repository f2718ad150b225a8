import type { SqlColumn } from '../api/api-response';
import { quotedCell } from '../datagrids/quoted-cell';

/** The first rows of a result. */
export interface SqlResult {
  readonly columns: readonly SqlColumn[];
  /** Values by the names of columns. Numbers with more digits than a number has are strings. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Whether the result has more rows. */
  readonly isTruncated: boolean;
  readonly durationMs: number;
}

const NUMBER = /^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(.*\))$/;

export const isNumberColumn = ({ type }: SqlColumn): boolean => NUMBER.test(type);

export const isTimeColumn = ({ type }: SqlColumn): boolean => /^(DATE|TIMESTAMP)/.test(type);

/** Returns the text of a value; the empty text for a missing one. */
export function shownValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * Compares two values of a column for a sort. Missing values come last in both directions.
 * @param isDescending Whether the result is then reversed.
 */
export function compareValues(
  a: unknown,
  b: unknown,
  isNumber: boolean,
  isDescending: boolean,
): number {
  const [first, second] = [shownValue(a), shownValue(b)];
  if (first === '' || second === '') {
    const order = Number(first === '') - Number(second === '');
    return isDescending ? -order : order;
  }
  if (!isNumber) return first < second ? -1 : Number(first > second);
  return Number(first) - Number(second) || compareDigits(first, second);
}

/** Compares two numbers that are equal as far as a number of JavaScript holds their digits. */
function compareDigits(first: string, second: string): number {
  // A column has the same number of decimals in all values.
  const order = first.length - second.length || (first < second ? -1 : Number(first > second));
  return first.startsWith('-') ? -order : order;
}

/** Returns the rows as CSV (RFC 4180), as the API does: an empty text is quoted, a missing value is empty. */
export function csvOf({ columns, rows }: Pick<SqlResult, 'columns' | 'rows'>): string {
  const lines = rows.map((row) => columns.map(({ name }) => csvCell(row[name])));
  return [columns.map(({ name }) => csvCell(name)), ...lines]
    .map((cells) => `${cells.join(',')}\n`)
    .join('');
}

function csvCell(value: unknown): string {
  const text = shownValue(value);
  const isQuoted = value === '' || /[",\r\n]/.test(text) || text.trim() !== text;
  return isQuoted ? quotedCell(text) : text;
}
