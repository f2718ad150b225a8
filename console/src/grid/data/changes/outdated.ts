import type { Column, Datagrid } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';

/** Changes that the grid does not show yet. */
export interface Outdated {
  /** Number of rows that were added or deleted, or may be at another position. */
  readonly rows: number;
  /** True if there are more changes than are known. */
  readonly isMore: boolean;
  /** The last change of the columns; `null` if there was none. */
  readonly columns: ColumnsChange | null;
}

export interface ColumnsChange {
  readonly revision: number;
  /** The columns after the change. */
  readonly columns: readonly Column[];
}

export const UP_TO_DATE: Outdated = { rows: 0, isMore: false, columns: null };

/**
 * Returns a message about the changes since the rows were loaded; undefined if there are none.
 * @param datagrid The datagrid on the screen, which may be newer than the last change that arrived.
 */
export function outdatedMessage(
  { rows, isMore, columns: change }: Outdated,
  { revision, columns }: Pick<Datagrid, 'revision' | 'columns'>,
): string | undefined {
  if (change && change.revision > revision && !isSameColumns(change.columns, columns)) {
    return gridText.outdated.columns;
  }
  if (isMore) return gridText.outdated.many;
  return rows === 0 ? undefined : gridText.outdated.rows(rows);
}

function isSameColumns(some: readonly Column[], others: readonly Column[]): boolean {
  const text = (columns: readonly Column[]): string =>
    JSON.stringify(
      columns.map(({ key, title, type, required, unique, indexed, options }) => [
        ...[key, title, type, required, unique, indexed, options],
      ]),
    );
  return text(some) === text(others);
}
