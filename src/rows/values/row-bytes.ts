import type { JsonValue } from '../../common/json/token-reader';

/** A number with an exponent, or text that looks like one. */
const EXPONENT = /\de[+-]\d/;

/** `1e308` has 5 characters and 309 digits. Text has at most 3 bytes per UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 62;

/**
 * Returns whether `rowBytes` may exceed `limit`. Returns `false` for almost all rows, at no cost.
 */
export const mayExceed = (json: string, limit: number): boolean =>
  json.length * MAX_BYTES_PER_UNIT > limit;

/**
 * Returns the size in bytes of a row's values as PostgreSQL prints them: as JSON, with numbers in plain
 * notation, so that 1e308 has 309 digits. All limits of pages count these bytes.
 * @param json The values as `JSON.stringify` prints them.
 */
export function rowBytes(values: JsonValue, json: string): number {
  const bytes = Buffer.byteLength(json);
  return EXPONENT.test(json) ? bytes + plainExtra(values) : bytes;
}

/**
 * Returns the size in bytes of a row's values, given only as JSON. Parses the JSON only if it must.
 */
export function printedRowBytes(json: string): number {
  const bytes = Buffer.byteLength(json);
  return EXPONENT.test(json) ? bytes + plainExtra(JSON.parse(json) as JsonValue) : bytes;
}

/**
 * Returns whether the values certainly exceed `limit` bytes. Does not print them, because printing
 * a value that is much longer takes long. Checks only arrays and objects.
 */
export function isSurelyLonger(
  values: Readonly<Record<string, JsonValue>>,
  limit: number,
): boolean {
  let left = limit;
  for (const slot in values) {
    const value = values[slot];
    if (typeof value === 'object') left = leftAfter(value, left);
    if (left < 0) return true;
  }
  return false;
}

/** Returns how many of `bytes` are left after a value. Stops as soon as the result is negative. */
function leftAfter(value: JsonValue, bytes: number): number {
  // A value takes at least one byte, and a comma or a bracket takes another.
  let left = bytes - 2;
  if (typeof value === 'string') return left - value.length;
  if (typeof value !== 'object' || value === null) return left;
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) {
      left = leftAfter(item, left);
      if (left < 0) return left;
    }
    return left;
  }
  const object = value as Readonly<Record<string, JsonValue>>;
  for (const key in object) {
    left = leftAfter(object[key] ?? null, left - key.length - 3);
    if (left < 0) return left;
  }
  return left;
}

/** Returns the bytes that plain notation takes in addition to JavaScript's notation. */
function plainExtra(value: JsonValue): number {
  if (typeof value === 'number') return extraDigits(value);
  if (typeof value !== 'object' || value === null) return 0;
  let extra = 0;
  for (const member of Object.values(value)) extra += plainExtra(member);
  return extra;
}

function extraDigits(number: number): number {
  const printed = String(Math.abs(number));
  const [mantissa = '', exponent] = printed.split('e');
  if (exponent === undefined) return 0;
  const power = Number(exponent);
  const digits = mantissa.replace('.', '').length;
  // From 1e21 on, all digits are before the point. Below 1e-6, all follow "0." and zeros.
  const plain = power > 0 ? power + 1 : 1 - power + digits;
  return plain - printed.length;
}
