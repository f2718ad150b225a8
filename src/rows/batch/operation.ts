import type { RowValues } from '../values/row-body';

interface Place {
  /** Path of the operation in the body, such as `operations.3`. */
  readonly path: string;
}

interface Guarded {
  /** Revision that the row must have; undefined if any revision is accepted. */
  readonly ifRevision: number | undefined;
}

export interface CreateOperation extends Place {
  readonly op: 'create';
  readonly row: RowValues;
}

export interface ChangeOperation extends Place, Guarded {
  /** `update` merges the values into the row; `replace` removes all other values. */
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
  /** Keys of the columns that identify an existing row. */
  readonly matchOn: readonly string[];
  /** Path of `matchOn` in the body. */
  readonly matchOnPath: string;
}

/** One change to one row. Its syntax is checked, but not yet its values against the columns. */
export type Operation = CreateOperation | ChangeOperation | DeleteOperation | UpsertOperation;

/** Operations and options of one batch or upsert request. */
export interface Batch {
  /** Body property that holds the operations. */
  readonly list: 'operations' | 'rows';
  /** Whether one failed operation fails the whole request. */
  readonly isAtomic: boolean;
  /** Whether to return the results without changing anything. */
  readonly isDryRun: boolean;
  /** Whether to reject a second upsert of the same row. */
  readonly refusesRepeats: boolean;
  readonly operations: readonly Operation[];
}
