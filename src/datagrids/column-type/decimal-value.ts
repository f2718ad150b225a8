import { accept, reject, type Checked } from './checked';

const MAX_DIGITS = 38;
const MAX_FRACTION_DIGITS = 18;
/** Includes a sign, a decimal point, and a zero before the point. */
export const MAX_DECIMAL_LENGTH = MAX_DIGITS + 3;

const DECIMAL = /^-?(0|[1-9]\d*)(?:\.(\d+))?$/;

/**
 * Checks a decimal number in a string, such as "-12.50": plain notation without a plus sign, an
 * exponent or leading zeros. Up to 38 digits, of which up to 18 after the decimal point. A single
 * zero before the point is not counted. Stored exactly as sent, including trailing zeros and the
 * sign of zero.
 */
export function checkDecimal(value: unknown): Checked {
  if (typeof value !== 'string') {
    return reject('wrong_type', 'must be a string containing a decimal number, such as "12.50"');
  }
  const match = DECIMAL.exec(value);
  if (!match) {
    return reject('invalid_format', 'must be a decimal number in plain notation, such as "12.50"');
  }
  const [, whole = '', fraction = ''] = match;
  if (fraction.length > MAX_FRACTION_DIGITS) {
    return reject('excess_precision', 'must have at most 18 digits after the decimal point');
  }
  const digits = (whole === '0' ? 0 : whole.length) + fraction.length;
  return digits > MAX_DIGITS
    ? reject('out_of_range', 'must have at most 38 digits in total')
    : accept(value);
}
