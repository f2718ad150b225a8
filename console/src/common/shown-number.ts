/** Digits as the API returns them, without an exponent. */
const DIGITS = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?$/;

/** Returns the text of a number for the reader with all its digits, and any other text unchanged. */
export type ShowNumber = (text: string) => string;

/**
 * Returns how a locale shows numbers. Only numbers of five or more digits before the point have
 * separators, so that years have none.
 */
export function numbersIn(locale?: string): ShowNumber {
  const format = new Intl.NumberFormat(locale, { useGrouping: 'min2', numberingSystem: 'latn' });
  const decimal = format.formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.';
  return (text) => {
    const [, sign = '', whole, fraction] = DIGITS.exec(text) ?? [];
    if (whole === undefined) return text;
    const shown = `${sign}${format.format(BigInt(whole))}`;
    return fraction === undefined ? shown : `${shown}${decimal}${fraction}`;
  };
}

/** Shows numbers in the browser's own locale. */
export const showNumber = numbersIn();
