import type { JsonValue } from '../../datagrids/datagrid';

/** A row as it was last read. Edits are based on its values and version. */
export interface KnownRow {
  readonly id: number;
  readonly values: Readonly<Record<string, JsonValue>>;
  readonly revision: number;
  readonly schemaVersion: number;
}

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
