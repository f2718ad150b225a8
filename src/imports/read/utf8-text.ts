import type { DetailCode } from '../../common/error/app-error';
import { isUtf8 } from 'node:buffer';

/** Marker for bytes that are not UTF-8: a lone surrogate, which valid UTF-8 never decodes to. */
export const BAD_BYTES = '\uDFFF';

const ALONE = /\p{Cs}/u;

/**
 * Returns whether a text contains a lone surrogate such as `BAD_BYTES`. A plain search for
 * `BAD_BYTES` would also find it as a half of characters such as U+133FF.
 */
export const hasBadBytes = (text: string): boolean => ALONE.test(text);

const LINE_FEED = 0x0a;
const NOTHING = Buffer.alloc(0);

/**
 * Decodes chunks of UTF-8 bytes to text. A character may be split between chunks. Skips a byte
 * order mark.
 */
export class Utf8Text {
  /** The start of a character that continues in the next chunk. */
  private cut: Buffer = NOTHING;
  private isFirst = true;

  read(chunk: Buffer): string {
    const bytes = this.cut.length === 0 ? chunk : Buffer.concat([this.cut, chunk]);
    const whole = wholeLength(bytes);
    this.cut = whole < bytes.length ? Buffer.from(bytes.subarray(whole)) : NOTHING;
    return this.decode(bytes.subarray(0, whole));
  }

  /** Returns the text of the bytes that are left at the end. */
  end(): string {
    return this.decode(this.cut);
  }

  private decode(bytes: Buffer): string {
    const text = isUtf8(bytes) ? bytes.toString('utf8') : markedText(bytes);
    if (!this.isFirst || text === '') return text;
    this.isFirst = false;
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  }
}

/** Decodes line by line, so that only the lines with bad bytes are rejected. */
function markedText(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const feed = bytes.indexOf(LINE_FEED, at);
    const end = feed === -1 ? bytes.length : feed + 1;
    const line = bytes.subarray(at, end);
    text += isUtf8(line) ? line.toString('utf8') : badText(line);
    at = end;
  }
  return text;
}

const badText = (line: Buffer): string => line.toString('utf8').replaceAll('\uFFFD', BAD_BYTES);

/**
 * Returns the number of bytes that form complete characters. Bytes that belong to no character
 * count as complete.
 */
function wholeLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? bytes.length - back : bytes.length;
    }
  }
  return bytes.length;
}

/** Reason for which a record cannot be read. */
export class RecordFault {
  constructor(
    /** A code as in the `details` of an error. */
    readonly code: DetailCode,
    readonly message: string,
  ) {}
}

/** A record of a body and the lines that it spans, from 1. */
export interface SourceRecord<Content> {
  readonly line: number;
  /** The line after the record. */
  readonly nextLine: number;
  /** Approximate length in the file, in bytes or UTF-16 code units. */
  readonly length: number;
  readonly content: Content | RecordFault;
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
