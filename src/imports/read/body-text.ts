import { BAD_BYTES, Utf8Text } from './utf8-text';

export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/**
 * Decodes chunks of bytes to text. A character may be split between chunks. Skips a byte order
 * mark.
 */
export interface BodyText {
  read(chunk: Buffer): string;
  /** Returns the text of the bytes that are left at the end. */
  end(): string;
}

export function openText(encoding: Encoding): BodyText {
  if (encoding === 'utf-8') return new Utf8Text();
  if (encoding === 'windows-1252') return new Windows1252Text();
  return new Utf16Text(encoding === 'utf-16be');
}

const MARKS: readonly (readonly [Encoding, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];
export const MAX_MARK_BYTES = 3;

/**
 * Returns the encoding of the byte order mark at the start of the bytes; `null` if there is none.
 */
export function markedEncoding(bytes: Uint8Array): Encoding | null {
  const found = MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte));
  return found?.[0] ?? null;
}

/** UTF-16 with either byte order. A lone surrogate and an odd last byte are bad bytes. */
class Utf16Text implements BodyText {
  private cut: Buffer = Buffer.alloc(0);
  private isFirst = true;

  constructor(private readonly isBigEndian: boolean) {}

  read(chunk: Buffer): string {
    const bytes = this.cut.length === 0 ? chunk : Buffer.concat([this.cut, chunk]);
    let whole = bytes.length - (bytes.length % 2);
    if (whole > 0 && this.endsInHighSurrogate(bytes, whole)) whole -= 2;
    this.cut = Buffer.from(bytes.subarray(whole));
    return this.decode(bytes.subarray(0, whole));
  }

  end(): string {
    const { length } = this.cut;
    const text = this.decode(this.cut.subarray(0, length - (length % 2)));
    return length % 2 === 0 ? text : text + BAD_BYTES;
  }

  private endsInHighSurrogate(bytes: Buffer, end: number): boolean {
    const byte = bytes[this.isBigEndian ? end - 2 : end - 1] ?? 0;
    return byte >= 0xd8 && byte <= 0xdb;
  }

  private decode(bytes: Buffer): string {
    const ordered = this.isBigEndian ? Buffer.from(bytes).swap16() : bytes;
    const text = ordered.toString('utf16le').replaceAll(/\p{Cs}/gu, BAD_BYTES);
    if (!this.isFirst || text === '') return text;
    this.isFirst = false;
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  }
}

/** Characters of the bytes 0x80 to 0x9f. Five of these bytes have no character. */
const WINDOWS_1252 = Array.from('€\uDFFF‚ƒ„…†‡ˆ‰Š‹Œ\uDFFFŽ\uDFFF\uDFFF‘’“”•–—˜™š›œ\uDFFFžŸ');

/** Windows-1252. Bytes outside 0x80 to 0x9f are the same as in Latin-1. */
class Windows1252Text implements BodyText {
  read(chunk: Buffer): string {
    return chunk
      .toString('latin1')
      .replaceAll(/[\x80-\x9f]/g, (byte) => WINDOWS_1252[byte.charCodeAt(0) - 0x80] ?? BAD_BYTES);
  }

  end(): string {
    return '';
  }
}
