import type { JsonValue } from '../../datagrids/datagrid';

/** A row as it was last read: what an edit starts from, and the version that it is made against. */
export interface KnownRow {
  readonly id: number;
  readonly values: Readonly<Record<string, JsonValue>>;
  readonly revision: number;
  readonly schemaVersion: number;
}

/**
 * - `waiting`: to be sent next. `saving`: on its way.
 * - `unsaved`: no answer that tells what became of it; to be tried again.
 * - `refused`: the service's answer stands in `message`; to be typed anew.
 * - `conflict`: somebody else changed the row; a person decides.
 */
export type CellState = 'waiting' | 'saving' | 'unsaved' | 'refused' | 'conflict';

/** A cell as a person wants it and the service does not have it yet. */
export interface CellEdit {
  readonly typed: string;
  readonly state: CellState;
  readonly message: string;
}

/** What of one row is not saved. */
export interface RowEdit {
  /** The row that the edits were made on. */
  readonly base: KnownRow;
  readonly cells: ReadonlyMap<string, CellEdit>;
  /** With a conflict, the row as it is now; `null` where it is gone. */
  readonly theirs?: KnownRow | null;
}

/** What became of a change that was sent. */
export type Outcome =
  | { readonly kind: 'saved'; readonly row: KnownRow }
  /** Nothing was changed; `fields` are the messages by column key, where they are about one. */
  | {
      readonly kind: 'refused';
      readonly message: string;
      readonly fields: ReadonlyMap<string, string>;
    }
  /** It has moved on; `theirs` is how it is now. */
  | { readonly kind: 'moved'; readonly theirs: KnownRow | null }
  /** It may have been made or not; the same attempt may be made again. */
  | { readonly kind: 'unknown'; readonly message: string };

/** One change of one row. The same attempt, sent again, is made once. */
export interface Attempt {
  readonly base: KnownRow;
  /** JSON texts by column key. */
  readonly values: ReadonlyMap<string, string>;
  readonly idempotencyKey: string;
}

export type SendAttempt = (attempt: Attempt) => Promise<Outcome>;
