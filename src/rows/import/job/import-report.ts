import type { ErrorCode } from '../../../common/error/error-code';
import type { FieldError } from '../../../common/error/field-error';
import type { ImportOptions, ImportState } from './import-options';

/** A rejected line and the reasons. */
export interface RefusedLine {
  readonly line: number;
  readonly details: readonly FieldError[];
}

/** Why an import ended early. A response can be created from it again. */
export interface ImportFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: readonly FieldError[];
}

/** The stored state of an import. */
export interface ImportRecord {
  readonly id: string;
  readonly datagridId: string;
  readonly options: ImportOptions;
  readonly state: ImportState;
  /** Size of the body as sent; `null` if the client did not send Content-Length. */
  readonly totalBytes: number | null;
  readonly readBytes: number;
  readonly rowsRead: number;
  /** Rows created by committed steps. */
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: number;
  /**
   * The line after the last committed step, 1 before the first; `null` when the import is
   * completed.
   */
  readonly nextLine: number | null;
  readonly createdColumns: readonly string[];
  readonly failure: ImportFailure | null;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  /** Time since the start, up to the end of the import or now. */
  readonly seconds: number;
}

/** An import with the rejected lines that are stored. */
export interface ImportReport extends ImportRecord {
  readonly errors: readonly RefusedLine[];
}
