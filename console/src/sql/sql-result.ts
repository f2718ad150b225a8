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
