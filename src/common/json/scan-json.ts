import { escapesBadText } from './escaped-text';
import { isExactNumber, SURELY_EXACT_LENGTH } from './exact-number';
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  stringEnd,
} from './json-bytes';

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

/** Whether `byte` is `-` or a digit: it can start a number, but not a literal. */
function isNumberByte(byte: number): boolean {
  return byte === 0x2d || (byte >= 0x30 && byte <= 0x39);
}

function numberEnd(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < bytes.length && isNumberTail(bytes[at] ?? 0)) at++;
  return at;
}

/** Whether `byte` is a digit or one of `+ - . E e`. */
function isNumberTail(byte: number): boolean {
  if (byte <= 0x39) return byte >= 0x30 || byte === 0x2e || byte === 0x2d || byte === 0x2b;
  return byte === 0x65 || byte === 0x45;
}

/** Whether a double might lose digits of the number, so that it needs an exact check. */
function isRisky(bytes: Uint8Array, from: number, end: number): boolean {
  if (end - from > SURELY_EXACT_LENGTH) return true;
  // For shorter numbers, only an exponent can exceed the range of doubles with full precision.
  for (let at = from; at < end; at++) {
    if (bytes[at] === 0x65 || bytes[at] === 0x45) return true;
  }
  return false;
}
