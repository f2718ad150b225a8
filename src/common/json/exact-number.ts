interface Decimal {
  negative: boolean;
  /** Significant digits without leading and trailing zeros; empty for zero. */
  digits: string;
  /** Power of ten of the first significant digit. */
  magnitude: number;
}

/** Maximum number of digits in the shortest decimal of a double. */
const MAX_DIGITS = 17;

/** A number of at most 15 digits survives the conversion to a double of full precision. */
export const SURELY_EXACT_LENGTH = 15;

/** Doubles below about 2.2e-308 have fewer digits. */
const SMALLEST_FULL = 1e-300;

/**
 * Whether a double preserves the decimal value of the JSON number `token`: the shortest decimal of
 * the double has the same value. This holds for `1.10`, `1e23` and `-0`, but not for
 * 9007199254740993 and 1e400. Takes time linear in the token's length.
 */
export function isExactNumber(token: string): boolean {
  const double = Number(token);
  if (!Number.isFinite(double)) return false;
  if (token.length <= SURELY_EXACT_LENGTH && Math.abs(double) >= SMALLEST_FULL) return true;
  const printed = String(double);
  if (printed === token) return true;
  const sent = readDecimal(token);
  // Check zero first, because `0e` may have an exponent that is too long for arithmetic.
  if (double === 0 || sent.digits === '') return double === 0 && sent.digits === '';
  if (sent.digits.length > MAX_DIGITS) return false;
  const kept = readDecimal(printed);
  return (
    sent.digits === kept.digits &&
    sent.magnitude === kept.magnitude &&
    sent.negative === kept.negative
  );
}

function readDecimal(token: string): Decimal {
  const negative = token.startsWith('-');
  const [mantissa = '', exponent = '0'] = token.slice(negative ? 1 : 0).split(/[eE]/);
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = whole + fraction;
  // Loops instead of regular expressions: /0+$/ takes quadratic time on a hostile run of zeros.
  let first = 0;
  while (all[first] === '0') first++;
  let end = all.length;
  while (end > first && all[end - 1] === '0') end--;
  return {
    negative,
    digits: all.slice(first, end),
    magnitude: whole.length - 1 - first + Number(exponent),
  };
}
