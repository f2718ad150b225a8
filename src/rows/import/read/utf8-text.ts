import { isUtf8 } from 'node:buffer';

/** Stands for bytes that are not UTF-8: half of a surrogate pair, which valid UTF-8 never gives. */
export const BAD_BYTES = '\uDFFF';

const ALONE = /\p{Cs}/u;

/** Whether `BAD_BYTES` stands in a text: it is also half of characters such as U+133FF. */
export const hasBadBytes = (text: string): boolean => ALONE.test(text);

const LINE_FEED = 0x0a;
const NOTHING = Buffer.alloc(0);

/** Turns chunks of bytes into text, wherever characters are cut. A byte order mark is skipped. */
export class Utf8Text {
  /** The beginning of a character whose end is in the next chunk. */
  private cut: Buffer = NOTHING;
  private isFirst = true;

  read(chunk: Buffer): string {
    const bytes = this.cut.length === 0 ? chunk : Buffer.concat([this.cut, chunk]);
    const whole = wholeLength(bytes);
    this.cut = whole < bytes.length ? Buffer.from(bytes.subarray(whole)) : NOTHING;
    return this.decode(bytes.subarray(0, whole));
  }

  /** What is left at the end. */
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

/** Line by line, so that what is refused is the line with the bad bytes and no other. */
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

/** How many of the bytes are whole characters; bytes that belong to none count as such. */
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
