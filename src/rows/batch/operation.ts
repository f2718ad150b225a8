import type { RowValues } from '../values/row-body';

interface Place {
  /** The way to the operation in the body, such as `operations.3`. */
  readonly path: string;
}

interface Guarded {
  /** The revision that the row must have; undefined where any will do. */
  readonly ifRevision: number | undefined;
}

export interface CreateOperation extends Place {
  readonly op: 'create';
  readonly row: RowValues;
}

export interface ChangeOperation extends Place, Guarded {
  /** `update` merges, `replace` keeps nothing else. */
  readonly op: 'update' | 'replace';
  readonly id: number;
  readonly row: RowValues;
}

export interface DeleteOperation extends Place, Guarded {
  readonly op: 'delete';
  readonly id: number;
}

export interface UpsertOperation extends Place, Guarded {
  readonly op: 'upsert';
  readonly row: RowValues;
  /** Keys of the columns that an existing row is known by. */
  readonly matchOn: readonly string[];
  /** The way to `matchOn` in the body. */
  readonly matchOnPath: string;
}

/** One change to one row, checked in its form but not yet against the columns. */
export type Operation = CreateOperation | ChangeOperation | DeleteOperation | UpsertOperation;

/** What a call asks for. */
export interface Batch {
  /** The member of the body that the operations stand in. */
  readonly list: 'operations' | 'rows';
  /** Whether one failure fails the whole call. */
  readonly isAtomic: boolean;
  /** Whether to answer only, and change nothing. */
  readonly isDryRun: boolean;
  /** Whether upserts of the same row twice are refused. */
  readonly refusesRepeats: boolean;
  readonly operations: readonly Operation[];
}
