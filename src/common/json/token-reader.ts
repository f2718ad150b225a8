import { isAscii } from 'node:buffer';
import { type JsonRejection, reject } from './json-error';
import { BACKSLASH, escapesBadText, isExactNumber, JSON_NUMBER, QUOTE } from './scan-json';

/** Result of `peek` at the end of the text. */
export const END = -1;

/** Bytes that are decoded at a time. Short tokens are slices of the result. */
const WINDOW_BYTES = 64 * 1024;
/** Number of digits that a double always preserves. */
const SAFE_DIGITS = 15;
/**
 * Maximum length of strings that are scanned byte by byte. A native search is faster for others.
 */
const SHORT_BYTES = 256;
/** Matches characters that must be escaped in a string. */
const CONTROL = /[^ -\uffff]/;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

const LITERALS = new Map<number, { readonly text: Buffer; readonly value: boolean | null }>(
  [true, false, null].map((value) => {
    const text = Buffer.from(String(value));
    return [text[0] ?? 0, { text, value }];
  }),
);

/**
 * Thrown for a string or number that is valid JSON but not accepted. The parser adds its location.
 */
export class TextFault extends Error {
  constructor(readonly code: Extract<JsonRejection, 'inexact_number' | 'invalid_text'>) {
    super(code);
  }
}

/** Reads the strings, numbers and literals of a JSON text in valid UTF-8, one after another. */
export class TokenReader {
  private at: number;
  private windowStart = 0;
  private window = '';
  /**
   * Index of the last backslash that a native search found: the next one, or one already passed.
   */
  private backslash = -1;

  constructor(private readonly bytes: Buffer) {
    const hasMark = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    this.at = hasMark ? BYTE_ORDER_MARK.length : 0;
  }

  /**
   * Skips white space.
   * @returns the next byte, or `END` if there is none.
   */
  peek(): number {
    const { bytes } = this;
    for (; this.at < bytes.length; this.at += 1) {
      const byte = bytes[this.at] ?? 0;
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
    }
    return END;
  }

  /** Index of the next byte to read. After a syntax error, the index of the wrong byte. */
  get position(): number {
    return this.at;
  }

  /** Skips the byte that `peek` returned. */
  skip(): void {
    this.at += 1;
  }

  /**
   * Reads a string, number or literal.
   * @throws JsonRejectedError `malformed_json`, or TextFault.
   */
  readScalar(): string | number | boolean | null {
    const byte = this.bytes[this.at] ?? 0;
    if (byte === QUOTE) return this.readString();
    const literal = LITERALS.get(byte);
    if (!literal) return this.readNumber();
    const end = this.at + literal.text.length;
    if (!literal.text.equals(this.bytes.subarray(this.at, end))) throw reject('malformed_json');
    this.at = end;
    return literal.value;
  }

  /**
   * Reads a string.
   * @throws JsonRejectedError `malformed_json`, or TextFault.
   */
  readString(): string {
    const { bytes } = this;
    const from = this.at + 1;
    if (bytes[this.at] !== QUOTE) throw reject('malformed_json');
    let [end, seen] = [from, 0];
    let hasEscape = false;
    for (; ; end += 1) {
      const byte = bytes[end] ?? 0;
      if (byte === QUOTE) break;
      // This includes the end of the text.
      if (byte < 0x20) throw this.syntaxError(Math.min(end, bytes.length));
      seen |= byte;
      if (byte === BACKSLASH) {
        hasEscape = true;
        end += 1;
      } else if (end - from === SHORT_BYTES && !hasEscape) {
        const text = this.readLong(from);
        if (text !== null) return text;
      }
    }
    this.at = end + 1;
    if (hasEscape) return unescaped(bytes, from, end);
    return seen < 0x80 ? this.ascii(from, end) : bytes.toString('utf8', from, end);
  }

  /**
   * Reads a long string without escapes by native searches.
   * @returns `null` if the string has escapes.
   */
  private readLong(from: number): string | null {
    const { bytes } = this;
    const end = bytes.indexOf(QUOTE, from);
    if (this.backslash < from) {
      const next = bytes.indexOf(BACKSLASH, from);
      this.backslash = next === -1 ? Infinity : next;
    }
    if (end === -1) throw this.syntaxError(bytes.length);
    if (this.backslash < end) return null;
    const encoding = isAscii(bytes.subarray(from, end)) ? 'latin1' : 'utf8';
    const text = bytes.toString(encoding, from, end);
    const control = text.search(CONTROL);
    if (control !== -1) {
      throw this.syntaxError(from + Buffer.byteLength(text.slice(0, control), encoding));
    }
    this.at = end + 1;
    return text;
  }

  private readNumber(): number {
    const { bytes } = this;
    const from = this.at;
    const isNegative = bytes[from] === MINUS;
    const first = isNegative ? from + 1 : from;
    let [end, value] = [first, 0];
    for (; isDigit(bytes[end] ?? 0); end += 1) value = value * 10 + (bytes[end] ?? 0) - ZERO;
    const digits = end - first;
    const hasLeadingZero = digits > 1 && bytes[first] === ZERO;
    if (isNumberTail(bytes[end] ?? 0) || digits === 0 || digits > SAFE_DIGITS || hasLeadingZero) {
      while (isNumberTail(bytes[end] ?? 0)) end += 1;
      const token = this.ascii(from, end);
      if (!JSON_NUMBER.test(token)) throw reject('malformed_json');
      if (!isExactNumber(token)) throw new TextFault('inexact_number');
      value = Math.abs(Number(token));
    }
    this.at = end;
    return isNegative ? -value : value;
  }

  private syntaxError(at: number): Error {
    this.at = at;
    return reject('malformed_json');
  }

  private ascii(from: number, end: number): string {
    if (end - from > WINDOW_BYTES) return this.bytes.toString('latin1', from, end);
    if (from < this.windowStart || end > this.windowStart + this.window.length) {
      this.windowStart = from;
      this.window = this.bytes.toString('latin1', from, from + WINDOW_BYTES);
    }
    return this.window.slice(from - this.windowStart, end - this.windowStart);
  }
}

function unescaped(bytes: Buffer, from: number, end: number): string {
  let text: string;
  try {
    text = JSON.parse(bytes.toString('utf8', from - 1, end + 1)) as string;
  } catch {
    throw reject('malformed_json');
  }
  if (escapesBadText(bytes, from, end)) throw new TextFault('invalid_text');
  return text;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

/** Returns whether `byte` is a digit or one of `+ - . E e`. */
function isNumberTail(byte: number): boolean {
  if (byte <= NINE) return byte >= ZERO || byte === 0x2e || byte === MINUS || byte === 0x2b;
  return byte === 0x65 || byte === 0x45;
}

/** Any JSON value. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue };
