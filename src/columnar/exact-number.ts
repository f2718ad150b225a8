import type { DecimalType } from './copy-table';

/** A decimal number: `units` times 10 to the power of `-scale`. */
interface ExactNumber {
  readonly units: bigint;
  readonly scale: number;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;
/** A double has up to 309 digits before the point and 324 after it, a decimal fewer. */
const MAX_EXPONENT = 400;

/** Reads a number in the notation of JSON. @returns `null` if it is none, or has too many digits. */
function readNumber(text: string): ExactNumber | null {
  const match = NUMBER.exec(text);
  if (!match || text.length > 2 * MAX_EXPONENT) return null;
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > MAX_EXPONENT) return null;
  const digits = BigInt(whole + fraction);
  const units = sign === '-' ? -digits : digits;
  const scale = fraction.length - exponent;
  return scale >= 0 ? { units, scale } : { units: units * 10n ** BigInt(-scale), scale: 0 };
}

/** A comparison: an SQL condition, or a boolean if its result is the same for every value. */
export type ComparisonSql = string | boolean;

/**
 * Compares the values of a DECIMAL column with a number that can have more digits. Both sides have the
 * type of the column, so that DuckDB converts nothing.
 * @param sign One of `=`, `>`, `>=`, `<` and `<=`.
 * @returns a condition, or a boolean if it is the same for every value; `null` if the text is no number.
 */
export function compareExactly(
  value: string,
  type: DecimalType,
  sign: string,
  text: string,
): ComparisonSql | null {
  const number = readNumber(text);
  if (!number) return null;
  const { units, isExact } = floorTo(number, type.scale);
  const maxUnits = 10n ** BigInt(type.digits) - 1n;
  // Beyond all values of the type: `units` is the floor, so the lowest value can equal it.
  if (units > maxUnits) return sign === '<' || sign === '<=';
  if (units < -maxUnits) return sign === '>' || sign === '>=';
  const floor = printed(units, type);
  if (isExact) return `${value} ${sign} ${floor}`;
  if (sign === '=') return false;
  return `${value} ${sign.startsWith('>') ? '>' : '<='} ${floor}`;
}

/** Returns the greatest multiple of 10 to the power of `-scale` that is not above a number. */
function floorTo(
  { units, scale }: ExactNumber,
  to: number,
): { readonly units: bigint; readonly isExact: boolean } {
  if (scale <= to) return { units: units * 10n ** BigInt(to - scale), isExact: true };
  const divisor = 10n ** BigInt(scale - to);
  const quotient = units / divisor;
  const isExact = quotient * divisor === units;
  return { units: isExact || units >= 0n ? quotient : quotient - 1n, isExact };
}

function printed(units: bigint, { digits, scale }: DecimalType): string {
  const size = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const whole = size.slice(0, size.length - scale);
  const fraction = scale === 0 ? '' : `.${size.slice(-scale)}`;
  const sign = units < 0n ? '-' : '';
  return `'${sign}${whole}${fraction}'::DECIMAL(${String(digits)}, ${String(scale)})`;
}

/** As `compareExactly`, for the values of a BIGINT column. */
export function compareInteger(value: string, sign: string, text: string): ComparisonSql | null {
  const compared = compareExactly(value, { digits: 18, scale: 0 }, sign, text);
  return typeof compared === 'string' ? compared.replace('::DECIMAL(18, 0)', '::BIGINT') : compared;
}
