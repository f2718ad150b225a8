import type { FieldError } from '../../../common/error/field-error';
import type { RecordFault } from '../read/record';

/** A record of a body, checked against the columns. */
export interface CheckedRow {
  /** Where it begins in the body; lines count from 1. */
  readonly line: number;
  /** The line after it. */
  readonly nextLine: number;
  /** Values by slot as JSON text, `null` where one is to be cleared; nothing where there are problems. */
  readonly json: string;
  /** Fields are column keys, or `line` for what is wrong with all of it. */
  readonly problems: readonly FieldError[];
}

/** Rows of records that came together; they are made as they are asked for. */
export type CheckedRows = Iterable<CheckedRow>;

export const NO_PROBLEMS: readonly FieldError[] = [];

/** Problems of one record after which it is not checked any further; a report names fewer. */
export const MAX_RECORD_PROBLEMS = 100;

/** JSON values of one long record: what follows their parsing is done in one turn of the event loop. */
export const MAX_RECORD_VALUES = 100_000;

interface Place {
  readonly line: number;
  readonly nextLine: number;
}

/** A record that is refused as a whole. */
export function refusedLine({ line, nextLine }: Place, { code, message }: RecordFault): CheckedRow {
  return { line, nextLine, json: '', problems: [{ field: 'line', code, message }] };
}
