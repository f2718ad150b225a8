import type { FieldError } from '../../../common/error/field-error';
import type { RefusedLine } from '../job/import-report';
import type { ImportBeat, LinesBehind } from '../job/import.repository';
import type { StepEnd } from '../stage/line-stage';

/** Lines that are reported; the others are counted. */
export const MAX_REPORTED = 1_000;
const MAX_DETAILS = 10;
/** What a report keeps of them, as JSON: short lines are not to make it store much more than was sent. */
const MAX_REPORTED_BYTES = 256 * 1024;

/** How far an import has come, as the process that runs it knows. */
export class ImportProgress {
  readBytes = 0;
  rowsRead = 0;
  /** The line after the last that was read. */
  nextLine = 1;
  /** What is read runs ahead of what is written: each has the first of its own, in order. */
  private readonly ofReading = new RefusedLines();
  private readonly ofWriting = new RefusedLines();
  /** Lines that were refused when the last beat was written down. */
  private told = 0;
  /** Errors that the steps have written down. */
  private behind = 0;

  get refused(): number {
    return this.ofReading.count + this.ofWriting.count;
  }

  /** Lines that were refused when they were read. */
  get refusedRead(): number {
    return this.ofReading.count;
  }

  /** The first lines that were refused, in order. */
  get errors(): RefusedLine[] {
    return merged(this.ofReading.first, this.ofWriting.first);
  }

  /** Counts a line that was read as refused, and keeps why, of the first ones. */
  refuse(line: number, details: readonly FieldError[]): void {
    this.ofReading.add({ line, details });
  }

  /** The same for lines of a step, which could not be written. */
  refuseWritten(lines: readonly RefusedLine[]): void {
    for (const each of lines) this.ofWriting.add(each);
  }

  /** What there is to tell of all lines before the end of a step that refuses these. */
  upTo({ nextLine, rowsRead, refused }: StepEnd, lines: readonly RefusedLine[]): LinesBehind {
    const read = this.ofReading.first.filter(({ line }) => line < nextLine);
    const errors = merged(read, [...this.ofWriting.first, ...lines.map(shortened)]);
    return {
      nextLine,
      rowsRead,
      refused: refused + this.ofWriting.count + lines.length,
      // They only grow: each step adds its lines to those before it.
      errors: errors.length > this.behind ? errors : null,
    };
  }

  /** A step is committed with this. */
  noteStep({ errors }: LinesBehind, lines: readonly RefusedLine[]): void {
    this.behind = errors?.length ?? this.behind;
    this.refuseWritten(lines);
  }

  /** What is to be written down; errors only where there are some that were not. */
  beat(): ImportBeat {
    const { readBytes, rowsRead, refused } = this;
    return { readBytes, rowsRead, refused, errors: refused > this.told ? this.errors : null };
  }

  /** A beat is written down. */
  noteBeat({ refused }: ImportBeat): void {
    this.told = Math.max(this.told, refused);
  }
}

/** Counts refused lines and keeps the first ones, as far as a report does. */
class RefusedLines {
  count = 0;
  readonly first: RefusedLine[] = [];
  private bytes = 0;

  add(line: RefusedLine): void {
    this.count += 1;
    if (this.first.length >= MAX_REPORTED || this.bytes > MAX_REPORTED_BYTES) return;
    const short = shortened(line);
    this.bytes += bytesOf(short);
    if (this.bytes <= MAX_REPORTED_BYTES) this.first.push(short);
  }
}

const shortened = ({ line, details }: RefusedLine): RefusedLine => ({
  line,
  details: details.slice(0, MAX_DETAILS),
});

const bytesOf = (line: RefusedLine): number => Buffer.byteLength(JSON.stringify(line));

function merged(read: readonly RefusedLine[], written: readonly RefusedLine[]): RefusedLine[] {
  const all = new RefusedLines();
  for (const line of [...read, ...written].sort((a, b) => a.line - b.line)) all.add(line);
  return all.first;
}
