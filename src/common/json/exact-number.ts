interface Decimal {
  negative: boolean;
  /** Significant digits, with zeros at neither end; empty for zero. */
  digits: string;
  /** Power of ten of the first significant digit. */
  magnitude: number;
}

/** Digits beyond which no shortest decimal of a double goes. */
const MAX_DIGITS = 17;

/** A number of 15 digits or fewer comes back from any double of full precision. */
export const SURELY_EXACT_LENGTH = 15;

/** Below some 2.2e-308 doubles have fewer digits. */
const SMALLEST_FULL = 1e-300;

/**
 * Whether a double gives back the decimal value of the JSON number `token`: the shortest decimal
 * that prints the double is the same value. `1.10`, `1e23` and `-0` are, 9007199254740993 and
 * 1e400 are not. Linear in the token's length.
 */
export function isExactNumber(token: string): boolean {
  const double = Number(token);
  if (!Number.isFinite(double)) return false;
  if (token.length <= SURELY_EXACT_LENGTH && Math.abs(double) >= SMALLEST_FULL) return true;
  const printed = String(double);
  if (printed === token) return true;
  const sent = readDecimal(token);
  // First, since `0e` may carry an exponent too long for arithmetic.
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
  // Loops, not expressions: /0+$/ takes quadratic time on a hostile run of zeros.
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
