import { BAD_BYTES, badByte, joined, Utf8Text } from '../../common/encoding/utf8-text';

export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/**
 * Decodes chunks of bytes to text. A character may be split between chunks. Skips a byte order
 * mark.
 */
export interface BodyText {
  read(chunk: Uint8Array): string;
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
  private cut: Uint8Array = new Uint8Array(0);
  private isFirst = true;

  constructor(private readonly isBigEndian: boolean) {}

  read(chunk: Uint8Array): string {
    const bytes = joined(this.cut, chunk);
    let whole = bytes.length - (bytes.length % 2);
    if (whole > 0 && this.endsInHighSurrogate(bytes, whole)) whole -= 2;
    this.cut = bytes.slice(whole);
    return this.decode(bytes.subarray(0, whole));
  }

  end(): string {
    const { length } = this.cut;
    const text = this.decode(this.cut.subarray(0, length - (length % 2)));
    return length % 2 === 0 ? text : text + BAD_BYTES;
  }

  private endsInHighSurrogate(bytes: Uint8Array, end: number): boolean {
    const byte = bytes[this.isBigEndian ? end - 2 : end - 1] ?? 0;
    return byte >= 0xd8 && byte <= 0xdb;
  }

  private decode(bytes: Uint8Array): string {
    const codes = new Uint16Array(bytes.length / 2);
    const [high, low] = this.isBigEndian ? [0, 1] : [1, 0];
    for (let at = 0; at < codes.length; at += 1) {
      codes[at] = ((bytes[2 * at + high] ?? 0) << 8) | (bytes[2 * at + low] ?? 0);
    }
    const text = textOf(codes).replaceAll(/\p{Cs}/gu, BAD_BYTES);
    if (!this.isFirst || text === '') return text;
    this.isFirst = false;
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  }
}

/** Number of codes that become text in one call, because each is an argument. */
const CODES = 8_192;

function textOf(codes: Uint16Array): string {
  let text = '';
  for (let at = 0; at < codes.length; at += CODES) {
    text += String.fromCharCode(...codes.subarray(at, at + CODES));
  }
  return text;
}

/** Characters of the bytes 0x80 to 0x9f. Five of these bytes have no character, here a space. */
const FROM_80 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';
const WINDOWS_1252 = Uint16Array.from({ length: 256 }, (_none, byte) => {
  const character = FROM_80[byte - 0x80];
  return (character === ' ' ? badByte(byte) : character)?.charCodeAt(0) ?? byte;
});

/**
 * Windows-1252. `TextDecoder` is not used: it reads the five bytes without a character as control
 * characters.
 */
class Windows1252Text implements BodyText {
  read(chunk: Uint8Array): string {
    const codes = new Uint16Array(chunk.length);
    for (let at = 0; at < codes.length; at += 1) codes[at] = WINDOWS_1252[chunk[at] ?? 0] ?? 0;
    return textOf(codes);
  }

  end(): string {
    return '';
  }
}
