import { BACKSLASH, LETTER_U } from './json-bytes';

/**
 * Whether the inside of a JSON string, `from` to `end`, escapes what PostgreSQL cannot store:
 * NUL, or half of a surrogate pair. In valid UTF-8 both can only come from `\u` escapes.
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

/** The UTF-16 unit of the `\uXXXX` at `at`; NaN where none stands there. */
function escapedUnit(bytes: Buffer, at: number): number {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== LETTER_U) return NaN;
  let unit = 0;
  for (let digit = at + 2; digit < at + 6; digit++) unit = unit * 16 + hexValue(bytes[digit] ?? 0);
  return unit;
}

/** Anything for what is no hexadecimal digit: such text is not JSON, and refused for that. */
function hexValue(byte: number): number {
  return byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
