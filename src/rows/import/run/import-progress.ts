import type { FieldError } from '../../../common/error/field-error';
import type { RefusedLine } from '../job/import-report';
import type { ImportBeat, LinesBehind } from '../job/import.repository';
import type { StepEnd } from '../stage/line-stage';

/** Maximum number of lines that are reported. Further lines are only counted. */
export const MAX_REPORTED = 1_000;
const MAX_DETAILS = 10;
/**
 * Maximum size of the reported lines as JSON. Otherwise a report of many short lines could be much
 * larger than the request.
 */
const MAX_REPORTED_BYTES = 256 * 1024;

/** Progress of an import, as known to the process that runs it. */
export class ImportProgress {
  readBytes = 0;
  rowsRead = 0;
  /** The line after the last line that was read. */
  nextLine = 1;
  /** Reading runs ahead of writing. Each keeps its own first rejected lines, in order. */
  private readonly ofReading = new RefusedLines();
  private readonly ofWriting = new RefusedLines();
  /** Number of rejected lines when the last beat was stored. */
  private told = 0;
  /** Number of errors that the steps have stored. */
  private behind = 0;

  get refused(): number {
    return this.ofReading.count + this.ofWriting.count;
  }

  /** Number of lines that were rejected when they were read. */
  get refusedRead(): number {
    return this.ofReading.count;
  }

  /** The first rejected lines, in order. */
  get errors(): RefusedLine[] {
    return merged(this.ofReading.first, this.ofWriting.first);
  }

  /**
   * Counts a line that was rejected when it was read. Keeps the reasons for the first such lines.
   */
  refuse(line: number, details: readonly FieldError[]): void {
    this.ofReading.add({ line, details });
  }

  /** Counts lines of a step that were rejected when they were written. */
  refuseWritten(lines: readonly RefusedLine[]): void {
    for (const each of lines) this.ofWriting.add(each);
  }

  /**
   * Returns the counts and errors of all lines before the end of a step in which `lines` were
   * rejected.
   */
  upTo({ nextLine, rowsRead, refused }: StepEnd, lines: readonly RefusedLine[]): LinesBehind {
    const read = this.ofReading.first.filter(({ line }) => line < nextLine);
    const errors = merged(read, [...this.ofWriting.first, ...lines.map(shortened)]);
    return {
      nextLine,
      rowsRead,
      refused: refused + this.ofWriting.count + lines.length,
      // The list only grows: each step adds its lines to those of earlier steps.
      errors: errors.length > this.behind ? errors : null,
    };
  }

  /** Records that a step was committed with these counts. */
  noteStep({ errors }: LinesBehind, lines: readonly RefusedLine[]): void {
    this.behind = errors?.length ?? this.behind;
    this.refuseWritten(lines);
  }

  /** Returns the progress to store. It includes errors only if there are new ones. */
  beat(): ImportBeat {
    const { readBytes, rowsRead, refused } = this;
    return { readBytes, rowsRead, refused, errors: refused > this.told ? this.errors : null };
  }

  /** Records that a beat was stored. */
  noteBeat({ refused }: ImportBeat): void {
    this.told = Math.max(this.told, refused);
  }
}

/** Counts rejected lines and keeps the first ones, up to the limits of a report. */
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
