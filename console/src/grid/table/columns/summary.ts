import { showNumber } from '../../../common/shown-number';
import { COLUMN_TYPES, isComparable, isComputed } from '../../../datagrids/column-type';
import type { Column } from '../../../datagrids/datagrid';
import { shownValue } from '../../cells/values/shown-value';

/** Functions of the API that compute one value of a column in all rows of a view. */
export const SUMMARIES = ['sum', 'avg', 'min', 'max', 'count', 'countDistinct'] as const;

/** Maximum number of functions in one request of the API. */
export const MAX_SUMMARIES = 20;

export type SummaryFunction = (typeof SUMMARIES)[number];

/** Result of a function; `null` if no row has a value. */
export type SummaryValue = string | number | null;

/** A column of a layout. */
interface Summarized {
  readonly key: string;
  readonly summary?: SummaryFunction | undefined;
}

/** A column with the function whose result is shown below it. */
export interface SummarizedColumn {
  readonly column: Column;
  readonly summary: SummaryFunction;
}

/** Returns the functions that take the values of a column. */
export function summariesOf({ type }: Column): readonly SummaryFunction[] {
  const { isNumeric, operators } = COLUMN_TYPES[type];
  return SUMMARIES.filter((name) => {
    if (name === 'count') return !isComputed(type);
    if (name === 'countDistinct') return isComparable(type);
    // The filter has no order of addresses.
    const hasOrder = operators.includes('order') || type === 'email' || type === 'url';
    if (name === 'min' || name === 'max') return hasOrder;
    return isNumeric;
  });
}

/** Returns the functions that a column can get beside those of others; `'full'` if there are too many. */
export function summaryChoices(
  column: Column,
  layout: readonly Summarized[],
): readonly SummaryFunction[] | 'full' {
  const own = summariesOf(column);
  const others = layout.filter(({ key, summary }) => summary && key !== column.key);
  return own.length > 0 && others.length >= MAX_SUMMARIES ? 'full' : own;
}

/** Digits after the point of an average that are shown. Its title has all of them. */
const AVERAGE_DIGITS = 4;
const ZERO = '0.0000';

/** Returns the text of a result for the reader. Sums, minimums and maximums have all digits. */
export function shownSummary(
  { column, summary }: SummarizedColumn,
  value: SummaryValue | undefined,
): string {
  if (value === null || value === undefined) return '–';
  if (summary === 'min' || summary === 'max') return shownValue(column, value);
  const text = String(value);
  return showNumber('number', summary === 'avg' ? rounded(text) : text);
}

function rounded(text: string): string {
  const [whole = '', fraction = ''] = text.split('.');
  if (fraction.length <= AVERAGE_DIGITS) return text;
  const sign = whole.startsWith('-') ? '-' : '';
  const kept = BigInt(whole.replace('-', '') + fraction.slice(0, AVERAGE_DIGITS));
  const up = fraction.charAt(AVERAGE_DIGITS) >= '5' ? 1n : 0n;
  const digits = (kept + up).toString().padStart(AVERAGE_DIGITS + 1, '0');
  const shown = `${digits.slice(0, -AVERAGE_DIGITS)}.${digits.slice(-AVERAGE_DIGITS)}`;
  return shown === ZERO ? '0' : sign + shown.replace(/\.?0+$/, '');
}
