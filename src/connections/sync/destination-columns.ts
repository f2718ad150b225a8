import type { TargetType, UnusedColumn } from '../../destinations/destination';
import type { TableState } from './sync-state';

/**
 * What a column of a destination has: the values of all rows (`complete`), not yet those of all rows
 * (`filling`), or values that are no longer written, until objects that depend on it are gone (`unused`).
 */
export const DESTINATION_COLUMN_STATES = ['complete', 'filling', 'unused'] as const;
export type DestinationColumnState = (typeof DESTINATION_COLUMN_STATES)[number];

/** A column of the table in a destination. */
export interface DestinationColumn {
  /** Id of the datagrid's column; `null` if it is unused. */
  readonly id: number | null;
  readonly name: string;
  readonly type: TargetType;
  readonly state: DestinationColumnState;
}

/** Returns the columns of a table, as far as a sync writes them or has written them. */
export function destinationColumns(
  state: TableState,
  unused: readonly UnusedColumn[],
): DestinationColumn[] {
  const isFilling = (id: number): boolean =>
    state.phase === 'load' || state.fillingIds.includes(id);
  return [
    ...state.columns.map(({ id, name, type }): DestinationColumn => {
      return { id, name, type, state: isFilling(id) ? 'filling' : 'complete' };
    }),
    ...unused.map(({ name, type }): DestinationColumn => {
      return { id: null, name, type, state: 'unused' };
    }),
  ];
}
