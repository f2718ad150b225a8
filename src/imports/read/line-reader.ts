import { tooLong, type SourceRecord } from '../../common/encoding/utf8-text';

const LINE_FEED = 0x0a;
/**
 * Number of pieces that are merged into one. A piece of one byte takes about a hundred bytes of
 * memory.
 */
const MERGED_PIECES = 256;

/** Splits bytes that arrive in pieces into lines, without their line endings. Skips blank lines. */
export class LineReader {
  private pending: Buffer[] = [];
  private pendingLength = 0;
  private unmerged = 0;
  private line = 1;
  private isFirst = true;

  constructor(private readonly maxLength: number) {}

  *read(chunk: Buffer): Generator<SourceRecord<Buffer>> {
    let at = 0;
    for (;;) {
      const feed = chunk.indexOf(LINE_FEED, at);
      if (feed === -1) break;
      const record = this.take(chunk.subarray(at, feed));
      if (record) yield record;
      at = feed + 1;
    }
    this.keep(chunk.subarray(at));
  }

  /** Reads the bytes that are left at the end. The last line needs no line ending. */
  *end(): Generator<SourceRecord<Buffer>> {
    if (this.pendingLength === 0) return;
    const record = this.take(Buffer.alloc(0));
    if (record) yield record;
  }

  private take(end: Buffer): SourceRecord<Buffer> | null {
    const length = this.pendingLength + end.length;
    const bytes =
      length > this.maxLength || this.pendingLength === 0
        ? end
        : Buffer.concat([...this.pending, end]);
    const { line } = this;
    this.line += 1;
    this.pending = [];
    this.pendingLength = this.unmerged = 0;
    if (length > this.maxLength) {
      return { line, nextLine: this.line, length, content: tooLong(this.maxLength) };
    }
    const content = this.isFirst ? withoutMark(bytes) : bytes;
    this.isFirst = false;
    return isBlank(content) ? null : { line, nextLine: this.line, length, content };
  }

  /** Keeps bytes of an incomplete line. For a line that is too long, keeps only the length. */
  private keep(bytes: Buffer): void {
    this.pendingLength += bytes.length;
    if (this.pendingLength > this.maxLength) this.pending = [];
    else if (bytes.length > 0) this.push(bytes);
  }

  private push(bytes: Buffer): void {
    this.pending.push(bytes);
    this.unmerged += 1;
    if (this.unmerged < MERGED_PIECES) return;
    this.pending.push(Buffer.concat(this.pending.splice(-MERGED_PIECES)));
    this.unmerged = 0;
  }
}

/** Removes a byte order mark. Only the first line may start with one. */
function withoutMark(line: Buffer): Buffer {
  return line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? line.subarray(3) : line;
}

/** Returns whether a line contains only spaces, tabs and the CR of a CRLF. */
function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
