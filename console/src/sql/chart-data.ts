import { isNumberColumn, isTimeColumn, shownValue, type SqlResult } from './sql-result';

/** Maximum number of points of a chart. */
export const MAX_POINTS = 500;
/** Maximum number of series: a chart has a color for each. */
export const MAX_SERIES = 6;

/** A series of a chart, from one column of numbers. */
export interface Series {
  /** Key of its values in `points`. Not the column's name, which can contain a period. */
  readonly key: string;
  readonly label: string;
}

export interface ChartData {
  /** Name of the column with the labels; `null` for the numbers of the rows. */
  readonly labels: string | null;
  readonly series: readonly Series[];
  readonly points: readonly Readonly<Record<string, string | number | null>>[];
  /** Whether the labels are dates or times, which lines show best. */
  readonly isOverTime: boolean;
  readonly isCut: boolean;
}

/**
 * Chooses what a chart shows. Labels are the first column of dates or times; without one, the first column
 * that has no numbers; without one, the first of several columns of numbers. Series are the other columns of
 * numbers.
 * @returns `null` without a column of numbers.
 */
export function chartOf({ columns, rows }: Pick<SqlResult, 'columns' | 'rows'>): ChartData | null {
  const numbers = columns.filter(isNumberColumn);
  const labels =
    columns.find(isTimeColumn) ??
    columns.find((column) => !isNumberColumn(column)) ??
    (numbers.length > 1 ? numbers[0] : undefined);
  const drawn = numbers.filter((column) => column !== labels).slice(0, MAX_SERIES);
  if (drawn.length === 0) return null;
  const points = rows.slice(0, MAX_POINTS).map((row, at) => ({
    label: labels ? shownValue(row[labels.name]) : String(at + 1),
    ...Object.fromEntries(drawn.map((column, n) => [keyOf(n), numberOf(row[column.name])])),
  }));
  return {
    labels: labels?.name ?? null,
    series: drawn.map(({ name }, n) => ({ key: keyOf(n), label: name })),
    points,
    isOverTime: labels !== undefined && isTimeColumn(labels),
    isCut: rows.length > MAX_POINTS,
  };
}

const keyOf = (n: number): string => `series${n}`;

function numberOf(value: unknown): number | null {
  if (value === null || value === undefined || value === '') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}
