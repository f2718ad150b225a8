import type { GridApi } from 'ag-grid-community';

/** Scrolls to a row by its index, from 0, and focuses one of its cells. */
export function focusRow(api: GridApi, index: number, columnId?: string): void {
  if (index < 0) return;
  api.ensureIndexVisible(index, 'middle');
  const target = columnId ?? firstValueColumn(api);
  if (target === undefined) return;
  focusWhenDrawn(api, index, target, document.activeElement);
}

/** Focuses a cell. Scrolls no further than necessary. */
export function focusCell(api: GridApi, index: number, columnId: string): void {
  if (index < 0 || index >= api.getDisplayedRowCount()) return;
  api.ensureIndexVisible(index);
  focusWhenDrawn(api, index, columnId, document.activeElement);
}

/** Focuses a cell of the last line, in which a new row is typed. */
export function focusNewRow(api: GridApi, columnId: string): void {
  api.ensureColumnVisible(columnId);
  focusWhenDrawn(api, NEW_ROW, columnId, document.activeElement);
}

/** Focuses the cell that had the focus last. @returns false if there is none. */
export function focusLastCell(api: GridApi): boolean {
  const cell = api.getFocusedCell();
  if (cell) api.setFocusedCell(cell.rowIndex, cell.column, cell.rowPinned);
  return cell !== null;
}

/** Stands for the index of the last line. */
const NEW_ROW = 'new';

/** Maximum number of frames to wait for a cell: about two seconds. */
export const FRAMES = 120;

/**
 * Focuses a cell once AG Grid has drawn it, which takes some frames after scrolling. Does nothing
 * if the focus has moved in the meantime.
 */
function focusWhenDrawn(
  api: GridApi,
  index: number | typeof NEW_ROW,
  columnId: string,
  from: Element | null,
  frames = FRAMES,
): void {
  const { activeElement } = document;
  const isMoved = activeElement !== from && activeElement !== document.body;
  if (api.isDestroyed() || frames === 0 || isMoved) return;
  if (index === NEW_ROW) api.setFocusedCell(0, columnId, 'bottom');
  else api.setFocusedCell(index, columnId);
  const cell = document.activeElement?.closest('.ag-cell');
  const row = cell?.closest('[row-index]')?.getAttribute('row-index');
  const isThere = row === (index === NEW_ROW ? 'b-0' : String(index));
  if (isThere && cell?.getAttribute('col-id') === columnId) return;
  requestAnimationFrame(() => {
    focusWhenDrawn(api, index, columnId, from, frames - 1);
  });
}

/** Returns the first column of the datagrid, after the pinned columns. */
export function firstValueColumn(api: GridApi): string | undefined {
  const columns = api.getAllDisplayedColumns();
  return (columns.find((column) => !column.isPinned()) ?? columns[0])?.getColId();
}
