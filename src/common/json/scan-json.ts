/** Maximum nesting depth of arrays and objects. The outermost one counts as 1. */
export const MAX_DEPTH = 64;

/** The first part of the text that is valid JSON but not accepted. */
export interface Fault {
  readonly code: 'inexact_number' | 'invalid_text';
  /** Index of the token's first byte. */
  readonly at: number;
}

/** Result of one pass over the bytes. For malformed text only `tooDeep` is reliable. */
export interface JsonScan {
  readonly tooDeep: boolean;
  /** Number of properties of all objects, including duplicate keys. */
  readonly members: number;
  readonly fault: Fault | null;
}

const UNICODE_ESCAPE = Buffer.from('\\u');

/** Scans the bytes once, from first to last. Stops early only if they nest too deep. */
export function scanJson(bytes: Buffer): JsonScan {
  const length = bytes.length;
  // A native search finds the few strings that need a closer look.
  let escape = nextEscape(bytes, 0);
  let depth = 0;
  let members = 0;
  let fault: Fault | null = null;
  // The bytes as Latin-1 characters, from which slicing numbers is cheaper than from the buffer.
  let latin1 = '';
  let at = 0;
  while (at < length) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      const end = stringEnd(bytes, at + 1);
      if (escape < end) {
        if (!fault && escapesBadText(bytes, at + 1, end)) fault = { code: 'invalid_text', at };
        escape = nextEscape(bytes, end);
      }
      at = end + 1;
    } else if (isNumberByte(byte)) {
      const end = numberEnd(bytes, at);
      if (!fault && isRisky(bytes, at, end)) {
        latin1 ||= bytes.toString('latin1');
        if (!isExactNumber(latin1.slice(at, end))) fault = { code: 'inexact_number', at };
      }
      at = end;
    } else {
      if (byte === COLON) members++;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--;
      if (depth > MAX_DEPTH) return { tooDeep: true, members, fault };
      at++;
    }
  }
  return { tooDeep: false, members, fault };
}

/** Returns the index of the first `\u` at or after `from`, or `Infinity` if there is none. */
function nextEscape(bytes: Buffer, from: number): number {
  const at = bytes.indexOf(UNICODE_ESCAPE, from);
  return at === -1 ? Infinity : at;
}

/** Returns whether `byte` is `-` or a digit: it can start a number, but not a literal. */
function isNumberByte(byte: number): boolean {
  return byte === 0x2d || (byte >= 0x30 && byte <= 0x39);
}

function numberEnd(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < bytes.length && isNumberTail(bytes[at] ?? 0)) at++;
  return at;
}

/** Returns whether `byte` is a digit or one of `+ - . E e`. */
function isNumberTail(byte: number): boolean {
  if (byte <= 0x39) return byte >= 0x30 || byte === 0x2e || byte === 0x2d || byte === 0x2b;
  return byte === 0x65 || byte === 0x45;
}

/** Returns whether a double might lose digits of the number, so that it needs an exact check. */
function isRisky(bytes: Uint8Array, from: number, end: number): boolean {
  if (end - from > SURELY_EXACT_LENGTH) return true;
  // For shorter numbers, only an exponent can exceed the range of doubles with full precision.
  for (let at = from; at < end; at++) {
    if (bytes[at] === 0x65 || bytes[at] === 0x45) return true;
  }
  return false;
}

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
const SURELY_EXACT_LENGTH = 15;

/** Doubles below about 2.2e-308 have fewer digits. */
const SMALLEST_FULL = 1e-300;

/** Matches a number as JSON prints it. */
export const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Returns whether a text is a number that JavaScript prints as the same text, without an exponent.
 */
export function isPlainNumber(text: string): boolean {
  return String(Number(text)) === text && JSON_NUMBER.test(text) && !text.includes('e');
}

/**
 * Returns whether a double preserves the decimal value of the JSON number `token`: the shortest
 * decimal of the double has the same value. This holds for `1.10`, `1e23` and `-0`, but not for
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

/**
 * Returns whether the contents of a JSON string, from `from` to `end`, escape text that PostgreSQL
 * cannot store: NUL or an unpaired surrogate. In valid UTF-8 both can only come from `\u` escapes.
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

/** Bytes that the JSON readers search for. */
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COLON = 0x3a;
export const COMMA = 0x2c;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
const LETTER_U = 0x75;

/**
 * Returns the index of the quote that closes the string whose contents start at `from`, or the
 * length of `bytes` if there is none.
 */
export function stringEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    at += byte === BACKSLASH ? 2 : 1;
  }
  return bytes.length;
}
