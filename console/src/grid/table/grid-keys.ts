import type { GridApi, SuppressKeyboardEventParams } from 'ag-grid-community';

/**
 * Home and End go to the ends of a row, and with Ctrl to the first and the last row, as in other
 * sheets: the grid's own go to the corners.
 *
 * @returns Whether the key was one of them.
 */
export function moveByKey({ event, api, node, column }: SuppressKeyboardEventParams): boolean {
  if (event.type !== 'keydown' || (event.key !== 'Home' && event.key !== 'End')) return false;
  const isHome = event.key === 'Home';
  event.preventDefault();
  if (event.ctrlKey || event.metaKey) {
    focusRow(api, isHome ? 0 : api.getDisplayedRowCount() - 1, column.getColId());
  } else {
    const columns = api.getAllDisplayedColumns();
    const target = isHome ? columns[0] : columns.at(-1);
    if (target && node.rowIndex !== null) {
      api.ensureColumnVisible(target);
      api.setFocusedCell(node.rowIndex, target);
    }
  }
  return true;
}

/** Shows a row, counted from 0, wherever it is, and gives one of its cells the focus. */
export function focusRow(api: GridApi, index: number, columnId?: string): void {
  if (index < 0) return;
  api.ensureIndexVisible(index, 'middle');
  const target = columnId ?? api.getAllDisplayedColumns()[0]?.getColId();
  if (target !== undefined) api.setFocusedCell(index, target);
}
