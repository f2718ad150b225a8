/** Digits as the API returns them, without an exponent. */
const DIGITS = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?$/;

/** Returns the text of a number for the reader with all its digits, and any other text unchanged. */
export type ShowNumber = (text: string) => string;

/** Numbers with separators from four or from five digits before the point. */
type Grouping = 'always' | 'min2';

/** Returns how a locale shows numbers. */
export function numbersIn(grouping: Grouping, locale?: string): ShowNumber {
  const format = new Intl.NumberFormat(locale, { useGrouping: grouping, numberingSystem: 'latn' });
  const decimal = format.formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.';
  return (text) => {
    const [, sign = '', whole, fraction] = DIGITS.exec(text) ?? [];
    if (whole === undefined) return text;
    const shown = `${sign}${format.format(BigInt(whole))}`;
    return fraction === undefined ? shown : `${shown}${decimal}${fraction}`;
  };
}

const showWhole = numbersIn('min2');
const showFraction = numbersIn('always');

/**
 * Shows a number of a column in the browser's own locale. Values of `integer` columns below 10,000
 * have no separators, because they may be years.
 */
export function showNumber(type: string, text: string): string {
  return type === 'integer' ? showWhole(text) : showFraction(text);
}
