import type { ErrorDetail } from './error.ts';

/** Report of an import. */
export interface ImportReport {
  readonly id: string;
  readonly datagridId: string;
  readonly state: 'running' | 'completed' | 'failed' | 'cancelled';
  readonly format: string;
  readonly delimiter: string | null;
  readonly encoding: string | null;
  readonly mode: 'insert' | 'upsert';
  readonly matchOn: readonly string[];
  readonly onError: 'abort' | 'skip';
  /** Lines with a row that were read. */
  readonly rowsRead: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejected: number;
  readonly committedRows: number;
  readonly firstRevision: number | null;
  readonly lastRevision: number | null;
  /** The line to continue from, with `startLine`; `null` if the import completed. */
  readonly nextLine: number | null;
  readonly rowsPerSecond: number;
  readonly secondsLeft: number | null;
  readonly createdColumns: readonly string[];
  readonly failure?: { readonly code: string; readonly message: string };
  readonly startedAt: string;
  readonly finishedAt: string | null;
  /** The first rejected lines. */
  readonly errors: readonly {
    readonly line: number;
    readonly details: readonly ErrorDetail[];
  }[];
}
