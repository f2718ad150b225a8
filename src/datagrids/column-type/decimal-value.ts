import { accept, reject, type Checked } from './checked';

const MAX_DIGITS = 38;
const MAX_FRACTION_DIGITS = 18;
/** With a sign, a point, and the zero before it. */
export const MAX_DECIMAL_LENGTH = MAX_DIGITS + 3;

const DECIMAL = /^-?(0|[1-9]\d*)(?:\.(\d+))?$/;

/**
 * A decimal number in a string, such as "-12.50": plain notation, no plus, no exponent, no
 * leading zeros. Up to 38 digits, of which up to 18 after the point; the lone zero before a point
 * is not counted. Kept exactly as sent, trailing zeros and the sign of zero included.
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
