import type { FieldError } from '../../../common/error/field-error';
import type { RefusedLine } from '../job/import-report';
import type { ImportBeat } from '../job/import.repository';

/** Lines that are reported; the others are counted. */
export const MOST_REPORTED = 1_000;
const MOST_DETAILS = 10;

/** How far an import has come, as the process that runs it knows. */
export class ImportProgress {
  readBytes = 0;
  rowsRead = 0;
  refused = 0;
  /** The line after the last that was read. */
  nextLine = 1;
  readonly errors: RefusedLine[] = [];
  private reported = 0;

  /** Counts a line as refused, and keeps why, of the first ones. */
  refuse(line: number, details: readonly FieldError[]): void {
    this.refused += 1;
    if (this.errors.length >= MOST_REPORTED) return;
    this.errors.push({ line, details: details.slice(0, MOST_DETAILS) });
  }

  /** What is to be written down; errors only where there are new ones. */
  beat(): ImportBeat {
    const { readBytes, rowsRead, refused } = this;
    const hasNew = this.errors.length > this.reported;
    this.reported = this.errors.length;
    const errors = hasNew ? [...this.errors].sort((a, b) => a.line - b.line) : null;
    return { readBytes, rowsRead, refused, errors };
  }
}
