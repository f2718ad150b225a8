/** Report of an import, as in the public API. */
export interface ImportReport {
  readonly id: string;
  readonly state: 'running' | 'completed' | 'failed' | 'cancelled';
  readonly rowsRead: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejected: number;
  readonly committedRows: number;
  /** Revisions of the first and the last batch; `null` if nothing was written. */
  readonly firstRevision: number | null;
  readonly lastRevision: number | null;
  /** The line to continue from, if the import was stopped early. */
  readonly nextLine: number | null;
  readonly rowsPerSecond: number;
  readonly secondsLeft: number | null;
  readonly createdColumns: readonly string[];
  readonly failure?: { readonly code: string; readonly message: string };
  /** The first 1,000 lines that were rejected. */
  readonly errors: readonly RejectedLine[];
}

export interface RejectedLine {
  readonly line: number;
  readonly details: readonly { readonly field: string; readonly message: string }[];
}

/** Returns whether an import can be undone: changed rows need history, created ones do not. */
export const isUndoable = ({ updated }: ImportReport, hasHistory: boolean): boolean =>
  updated === 0 || hasHistory;
