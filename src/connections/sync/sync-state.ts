import type { ChangesPosition, SeenRevision } from '../../changes/change-cursor';
import type { TargetColumn } from '../destination/destination';

/** A load in progress: rows in order of their ids, into a table beside the target table. */
export interface LoadState {
  readonly phase: 'load';
  /** Revision from which changes are read after the last row. */
  readonly revision: number;
  readonly seen: SeenRevision;
  /** Rows with ids up to this one are loaded. */
  readonly afterId: number;
  readonly columns: readonly TargetColumn[];
  /** Ids of all columns of the datagrid when the columns were chosen. */
  readonly knownIds: readonly number[];
}

/** The target table has all rows. */
export interface ChangesState {
  readonly phase: 'changes';
  readonly position: Omit<ChangesPosition, 'phase'>;
  readonly columns: readonly TargetColumn[];
  readonly knownIds: readonly number[];
  /**
   * All rows after this id are read again, because values of a column are missing; `null` if all
   * values are there.
   */
  readonly rescanAfterId: number | null;
}

/** Where a sync stands. The destination stores it with the data. */
export type TableState = LoadState | ChangesState;

const VERSION = 1;

export function printState(state: TableState): string {
  return JSON.stringify({ version: VERSION, ...state });
}

/** Reads a stored state. @returns `null` if it is missing, or of another version. */
export function readState(text: string | null): TableState | null {
  if (text === null) return null;
  const { version, ...state } = JSON.parse(text) as { version: number } & TableState;
  return version === VERSION ? state : null;
}
