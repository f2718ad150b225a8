/** Base-62 digits in ascending order of value, which is also their ASCII order. */
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Formats a non-negative integer in base 62, padded with leading zeros to `width` digits. */
export function toBase62(value: number, width: number): string {
  let digits = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) {
    digits = BASE62.charAt(rest % 62) + digits;
  }
  return digits.padStart(width, '0');
}
