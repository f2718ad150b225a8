import type { GridApi } from 'ag-grid-community';
import type { KnownRow } from '../../cells/known-row';
import { firstValueColumn, focusCell } from './focus-cell';
import { whenFocusIsFree } from './free-focus';

/**
 * Focuses the row that takes the place of deleted ones, or the last row, once the dialog that deleted
 * them is closed. Without rows, focuses the first header.
 */
export function focusAfterDeletion(api: GridApi<KnownRow>, deleted: readonly KnownRow[]): void {
  if (deleted.length === 0) return;
  const index = indexAfter(
    deleted.map(({ id }) => api.getRowNode(String(id))?.rowIndex ?? null),
    api.getDisplayedRowCount(),
  );
  whenFocusIsFree(() => {
    if (api.isDestroyed()) return;
    const column = firstValueColumn(api);
    if (column === undefined) return;
    if (index === undefined) api.setFocusedHeader(column);
    else focusCell(api, index, column);
  });
}

/**
 * Returns the index of the row to focus; undefined if no row is left.
 * @param deleted Indexes of the deleted rows; `null` for those that are not loaded.
 * @param count Number of rows before the deletion.
 */
export function indexAfter(deleted: readonly (number | null)[], count: number): number | undefined {
  const left = count - deleted.length;
  if (left <= 0) return undefined;
  return deleted.reduce<number>((least, at) => Math.min(least, at ?? least), left - 1);
}
