import type { ErrorCode } from '../../../common/error/error-code';
import type { FieldError } from '../../../common/error/field-error';
import type { ImportOptions, ImportState } from './import-options';

/** A line that was refused, and why. */
export interface RefusedLine {
  readonly line: number;
  readonly details: readonly FieldError[];
}

/** Why an import has ended before its end; an answer can be made of it again. */
export interface ImportFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: readonly FieldError[];
}

/** What is known of an import, as it is stored. */
export interface ImportRecord {
  readonly id: string;
  readonly datagridId: string;
  readonly options: ImportOptions;
  readonly state: ImportState;
  /** Of the body as sent; `null` where its sender did not say. */
  readonly totalBytes: number | null;
  readonly readBytes: number;
  readonly rowsRead: number;
  /** Rows of steps that are committed. */
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: number;
  /** The line after the last committed step, 1 before any; `null` once it is completed. */
  readonly nextLine: number | null;
  readonly createdColumns: readonly string[];
  readonly failure: ImportFailure | null;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  /** Since it was started, until its end or now. */
  readonly seconds: number;
}

/** The same with the lines that were refused, as far as they are kept. */
export interface ImportReport extends ImportRecord {
  readonly errors: readonly RefusedLine[];
}
