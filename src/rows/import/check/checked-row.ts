import type { FieldError } from '../../../common/error/field-error';
import type { RecordFault } from '../read/record';

/** A record of a body, checked against the columns. */
export interface CheckedRow {
  /** The line on which the record starts in the body, from 1. */
  readonly line: number;
  /** The line after the record. */
  readonly nextLine: number;
  /**
   * Values by slot as JSON text, with `null` for a value that is cleared; empty if there are
   * problems.
   */
  readonly json: string;
  /** Fields are column keys, or `line` for a problem of the whole line. */
  readonly problems: readonly FieldError[];
}

/** Rows of records that arrived together. They are checked lazily, as the iterator is read. */
export type CheckedRows = Iterable<CheckedRow>;

export const NO_PROBLEMS: readonly FieldError[] = [];

/** Number of problems after which the check of a record stops. A report lists fewer. */
export const MAX_RECORD_PROBLEMS = 100;

/**
 * Maximum number of JSON values in one long record. The checks after parsing run in one turn of the
 * event loop.
 */
export const MAX_RECORD_VALUES = 100_000;

interface Place {
  readonly line: number;
  readonly nextLine: number;
}

/** Returns the row of a record that is rejected as a whole. */
export function refusedLine({ line, nextLine }: Place, { code, message }: RecordFault): CheckedRow {
  return { line, nextLine, json: '', problems: [{ field: 'line', code, message }] };
}
