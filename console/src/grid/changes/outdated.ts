import type { Column } from '../../datagrids/datagrid';
import { gridText } from '../../text/grid-text';

/** Changes that the grid does not show yet. */
export interface Outdated {
  /** Number of rows that were added or deleted, or may be at another position. */
  readonly rows: number;
  /** True if there are more changes than are known. */
  readonly isMore: boolean;
  /** The columns after the last change of them; `null` if there was none. */
  readonly columns: readonly Column[] | null;
}

export const UP_TO_DATE: Outdated = { rows: 0, isMore: false, columns: null };

/**
 * Returns a message about the changes since the rows were loaded; undefined if there are none.
 * @param columns The columns on the screen.
 */
export function outdatedMessage(
  outdated: Outdated,
  columns: readonly Column[],
): string | undefined {
  const { rows, isMore } = outdated;
  if (outdated.columns && !isSameColumns(outdated.columns, columns)) {
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
