import { BACKSLASH, LETTER_U } from './json-bytes';

/**
 * Whether the contents of a JSON string, from `from` to `end`, escape text that PostgreSQL cannot
 * store: NUL or an unpaired surrogate. In valid UTF-8 both can only come from `\u` escapes.
 */
export function escapesBadText(bytes: Buffer, from: number, end: number): boolean {
  let at = from;
  while (at < end) {
    if (bytes[at] !== BACKSLASH) {
      at++;
    } else if (bytes[at + 1] !== LETTER_U) {
      at += 2;
    } else {
      const unit = escapedUnit(bytes, at);
      if (unit === 0 || isLowSurrogate(unit)) return true;
      at += 6;
      if (isHighSurrogate(unit)) {
        if (!isLowSurrogate(escapedUnit(bytes, at))) return true;
        at += 6;
      }
    }
  }
  return false;
}

/** Returns the UTF-16 code unit of the `\uXXXX` at `at`, or NaN if there is none. */
function escapedUnit(bytes: Buffer, at: number): number {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== LETTER_U) return NaN;
  let unit = 0;
  for (let digit = at + 2; digit < at + 6; digit++) unit = unit * 16 + hexValue(bytes[digit] ?? 0);
  return unit;
}

/**
 * Returns the value of a hexadecimal digit. For other characters the result is arbitrary, because
 * such text is not JSON and is rejected anyway.
 */
function hexValue(byte: number): number {
  return byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
