import type { DetailCode } from '../error/app-error';
import { codePointLength } from '../text/id';

/** Marker for something that is not text: a lone surrogate, which valid text never decodes to. */
export const BAD_BYTES = '\uDFFF';

/** Returns the marker of a byte that is not part of a character. It tells the byte, from 0x80. */
export const badByte = (byte: number): string => String.fromCharCode(0xdc00 + byte);

const ALONE = /\p{Cs}/u;

/**
 * Returns whether a text contains a lone surrogate such as `BAD_BYTES`. A plain search for a marker
 * would also find it as a half of characters such as U+133FF.
 */
export const hasBadBytes = (text: string): boolean => ALONE.test(text);

/** The first thing in a text that is not a character. */
export interface BadByte {
  /** Its position in the text in characters, from 1. */
  readonly character: number;
  /** The byte as it is shown, such as `0xE9`; `null` if it is not a single byte. */
  readonly byte: string | null;
}

/** Finds the first byte of a decoded text that is not valid in its encoding. */
export function findBadByte(text: string): BadByte | null {
  const found = ALONE.exec(text);
  if (!found) return null;
  const byte = found[0].charCodeAt(0) - 0xdc00;
  const isByte = byte >= 0x80 && byte <= 0xff;
  return {
    character: codePointLength(text.slice(0, found.index)) + 1,
    byte: isByte ? `0x${byte.toString(16).toUpperCase()}` : null,
  };
}

const LINE_FEED = 0x0a;
const NOTHING = new Uint8Array(0);

/** Keeps a byte order mark, because only the first one of a file is not text. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the text of bytes; `null` if they are not valid UTF-8. */
function validText(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** Joins the bytes that were left with those that follow them. */
export function joined(left: Uint8Array, next: Uint8Array): Uint8Array {
  if (left.length === 0) return next;
  const bytes = new Uint8Array(left.length + next.length);
  bytes.set(left);
  bytes.set(next, left.length);
  return bytes;
}

/**
 * Decodes chunks of UTF-8 bytes to text. A character may be split between chunks. Skips a byte
 * order mark.
 */
export class Utf8Text {
  /** The start of a character that continues in the next chunk. */
  private cut: Uint8Array = NOTHING;
  private isFirst = true;

  read(chunk: Uint8Array): string {
    const bytes = joined(this.cut, chunk);
    const whole = wholeLength(bytes);
    this.cut = whole < bytes.length ? bytes.slice(whole) : NOTHING;
    return this.decode(bytes.subarray(0, whole));
  }

  /** Returns the text of the bytes that are left at the end. */
  end(): string {
    return this.decode(this.cut);
  }

  private decode(bytes: Uint8Array): string {
    const text = validText(bytes) ?? markedText(bytes);
    if (!this.isFirst || text === '') return text;
    this.isFirst = false;
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  }
}

/** Decodes line by line, because most lines have no bad bytes. */
function markedText(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const feed = bytes.indexOf(LINE_FEED, at);
    const end = feed === -1 ? bytes.length : feed + 1;
    const line = bytes.subarray(at, end);
    text += validText(line) ?? badText(line);
    at = end;
  }
  return text;
}

/** Decodes a line character by character, with a marker for each byte that belongs to none. */
function badText(line: Uint8Array): string {
  let text = '';
  for (let at = 0; at < line.length;) {
    const first = line[at] ?? 0;
    const length = lengthOf(first);
    const character = validText(line.subarray(at, at + length));
    text += character ?? badByte(first);
    at += character === null ? 1 : length;
  }
  return text;
}

/** Returns the number of bytes of the character that starts with a byte. */
const lengthOf = (first: number): number =>
  first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;

/**
 * Returns the number of bytes that form complete characters. Bytes that belong to no character
 * count as complete.
 */
function wholeLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) return lengthOf(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Reason for which a record cannot be read. */
export class RecordFault {
  constructor(
    /** A code as in the `details` of an error. */
    readonly code: DetailCode,
    readonly message: string,
    /** The message without the lines of the record. */
    readonly reason = message,
  ) {}

  /** Returns the fault of a record of several lines. It says which lines are lost with it. */
  over(first: number, last: number): RecordFault {
    if (first === last) return this;
    const lines = `lines ${String(first)} to ${String(last)} are not read`;
    return new RecordFault(this.code, `${this.message}; ${lines}`, this.reason);
  }
}

/** A record of a body and the lines that it spans, from 1. */
export interface SourceRecord<Content> {
  readonly line: number;
  /** The line after the record. */
  readonly nextLine: number;
  /** Approximate length in the file, in bytes or UTF-16 code units. */
  readonly length: number;
  readonly content: Content | RecordFault;
  /** Text of a record of CSV that cannot be read, if it is short enough to be kept. */
  readonly text?: string;
}

/** Maximum size of a record. */
export interface RecordLimits {
  /** Maximum length in UTF-16 code units or bytes. */
  readonly maxLength: number;
  /** Maximum number of cells or members. A record with more is not read. */
  readonly maxCells: number;
}

export function tooManyCells(maxCells: number): RecordFault {
  const message = `has more than ${String(maxCells)} cells, the maximum for one line`;
  return new RecordFault('too_many', message);
}

export function tooLong(maxBytes: number): RecordFault {
  const message = `exceeds the maximum line length of ${String(maxBytes)} bytes`;
  return new RecordFault('too_large', message);
}
