import type { CellEdit } from '../../cells/cell-edit';
import type { KnownRow } from '../../cells/known-row';

/** Unsaved edits of one row. */
export interface RowEdit {
  /** The row that the edits are based on. */
  readonly base: KnownRow;
  readonly cells: ReadonlyMap<string, CellEdit>;
  /** How often the edits were sent again because others changed other columns of the row. */
  readonly rebases?: number;
  /** For a conflict, the current row, or `null` if it was deleted. */
  readonly theirs?: KnownRow | null;
}

/** Outcome of a sent change. */
export type Outcome =
  | { readonly kind: 'saved'; readonly row: KnownRow }
  /** Nothing was changed. `fields` contains messages by column key. */
  | {
      readonly kind: 'rejected';
      readonly message: string;
      readonly fields: ReadonlyMap<string, string>;
    }
  /** The row has changed. `theirs` is its current version. */
  | { readonly kind: 'outdated'; readonly theirs: KnownRow | null }
  /** The change may or may not have been applied. The same attempt can be sent again. */
  | { readonly kind: 'unknown'; readonly message: string };

/** One change of one row. If an attempt is sent again, it is applied once. */
export interface Attempt {
  readonly base: KnownRow;
  /** JSON texts by column key. */
  readonly values: ReadonlyMap<string, string>;
  readonly idempotencyKey: string;
}

export type SendAttempt = (attempt: Attempt) => Promise<Outcome>;
