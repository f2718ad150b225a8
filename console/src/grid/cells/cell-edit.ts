import type { KnownRow } from './known-row';

/**
 * State of an edited cell:
 * - `typed`: in a row that does not exist yet.
 * - `waiting`: not sent yet.
 * - `saving`: sent, without a response yet.
 * - `unsaved`: the outcome is unknown. The edit can be retried.
 * - `rejected`: the service rejected the value. `message` contains the reason.
 * - `conflict`: another user changed the row. The user must choose a version.
 */
export type CellState = 'typed' | 'waiting' | 'saving' | 'unsaved' | 'rejected' | 'conflict';

/** An unsaved edit of one cell. */
export interface CellEdit {
  readonly typed: string;
  readonly state: CellState;
  readonly message: string;
}

/** The unsaved inputs of the cells of a grid. */
export interface CellInputs {
  readonly cell: (rowId: number, key: string) => CellEdit | undefined;
  readonly type: (row: KnownRow, key: string, typed: string) => void;
}
