import { AppError, conflict, type FieldError, invalidRequest } from '../../common/error/app-error';
import type { ImportFailure, RejectedLine } from '../job/import.entity';
import type { ImportBeat, LinesBehind } from '../job/import.repository';
import type { StepEnd } from '../stage/line-stage.repository';

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
  /** Reading runs ahead of writing. Each keeps its own first rejected lines, in order. */
  private readonly ofReading = new RejectedLines();
  private readonly ofWriting = new RejectedLines();
  /** Number of rejected lines when the last beat was stored. */
  private reportedErrors = 0;
  /** Number of errors that the steps have stored. */
  private behind = 0;

  /** @param nextLine The line after the last line that was read. */
  constructor(public nextLine = 1) {}

  get rejected(): number {
    return this.ofReading.count + this.ofWriting.count;
  }

  /** Number of lines that were rejected when they were read. */
  get rejectedRead(): number {
    return this.ofReading.count;
  }

  /** The first rejected lines, in order. */
  get errors(): RejectedLine[] {
    return merged(this.ofReading.first, this.ofWriting.first);
  }

  /**
   * Counts a line that was rejected when it was read. Keeps the reasons for the first such lines.
   */
  reject(line: number, details: readonly FieldError[]): void {
    this.ofReading.add({ line, details });
  }

  /** Counts lines of a step that were rejected when they were written. */
  rejectWritten(lines: readonly RejectedLine[]): void {
    for (const each of lines) this.ofWriting.add(each);
  }

  /**
   * Returns the counts and errors of all lines before the end of a step in which `lines` were
   * rejected.
   */
  upTo({ nextLine, rowsRead, rejected }: StepEnd, lines: readonly RejectedLine[]): LinesBehind {
    const read = this.ofReading.first.filter(({ line }) => line < nextLine);
    const errors = merged(read, [...this.ofWriting.first, ...lines.map(shortened)]);
    return {
      nextLine,
      rowsRead,
      rejected: rejected + this.ofWriting.count + lines.length,
      // The list only grows: each step adds its lines to those of earlier steps.
      errors: errors.length > this.behind ? errors : null,
    };
  }

  /** Records that a step was committed with these counts. */
  noteStep({ errors }: LinesBehind, lines: readonly RejectedLine[]): void {
    this.behind = errors?.length ?? this.behind;
    this.rejectWritten(lines);
  }

  /** Returns the progress to store. It includes errors only if there are new ones. */
  beat(): ImportBeat {
    const { readBytes, rowsRead, rejected } = this;
    return {
      readBytes,
      rowsRead,
      rejected,
      errors: rejected > this.reportedErrors ? this.errors : null,
    };
  }

  /** Records that a beat was stored. */
  noteBeat({ rejected }: ImportBeat): void {
    this.reportedErrors = Math.max(this.reportedErrors, rejected);
  }
}

/** Counts rejected lines and keeps the first ones, up to the limits of a report. */
class RejectedLines {
  count = 0;
  readonly first: RejectedLine[] = [];
  private bytes = 0;

  add(line: RejectedLine): void {
    this.count += 1;
    if (this.first.length >= MAX_REPORTED || this.bytes > MAX_REPORTED_BYTES) return;
    const short = shortened(line);
    this.bytes += bytesOf(short);
    if (this.bytes <= MAX_REPORTED_BYTES) this.first.push(short);
  }
}

const shortened = ({ line, details }: RejectedLine): RejectedLine => ({
  line,
  details: details.slice(0, MAX_DETAILS),
});

const bytesOf = (line: RejectedLine): number => Buffer.byteLength(JSON.stringify(line));

function merged(read: readonly RejectedLine[], written: readonly RejectedLine[]): RejectedLine[] {
  const all = new RejectedLines();
  for (const line of [...read, ...written].sort((a, b) => a.line - b.line)) all.add(line);
  return all.first;
}

/**
 * Thrown when the import was ended by another request or process: it was cancelled, or its process
 * was presumed dead. The report shows which.
 */
export class ImportEndedError extends Error {}

/** Returns a 400 error, or a 409 error if all lines were rejected only because of stored values. */
export function rejectedLines(lines: readonly RejectedLine[], rejected: number): AppError {
  const message =
    rejected === 1
      ? '1 line was rejected. See the import report.'
      : `${String(rejected)} lines were rejected. See the import report.`;
  const details = lines.flatMap(detailsOf);
  const areDuplicates = details.every(({ code }) => STATE_CODES.has(code));
  return areDuplicates ? conflict(message, details) : invalidRequest(details, message);
}

/** Codes of errors that depend on stored values, not on the request alone. */
const STATE_CODES: ReadonlySet<string> = new Set(['duplicate', 'ambiguous_match']);

function detailsOf({ line, details }: RejectedLine): FieldError[] {
  return details.map(({ field, code, message }) => {
    const lineField = `lines.${String(line)}`;
    return { field: field === 'line' ? lineField : `${lineField}.${field}`, code, message };
  });
}

/**
 * Returns a 409 error: the columns have changed, so lines that were already checked may no longer
 * fit.
 */
export function columnsChanged(): AppError {
  return conflict('Columns of the import changed while it was running.');
}

export const DATABASE_AWAY = 'The database was unavailable while the import was running.';

/** 503: the process that ran the import has ended, or could not reach the database at the end. */
export const PROCESS_ENDED: ImportFailure = {
  code: 'unavailable',
  message: 'The service or its database stopped while the import was running.',
  details: [],
};

export const CANCELLED: ImportFailure = {
  code: 'conflict',
  message: 'The import was cancelled.',
  details: [],
};

/** Restores the order of members. PostgreSQL stores the members of jsonb in its own order. */
export function inOrder(details: readonly FieldError[]): FieldError[] {
  return details.map(({ field, code, message }) => ({ field, code, message }));
}

/** Returns the part of an error that is stored, so that it can be returned again. */
export function failureOf(error: AppError): ImportFailure {
  const { code, message, details } = error;
  return { code, message, details };
}
