import type { GridApi, SuppressKeyboardEventParams } from 'ag-grid-community';

/**
 * Moves the focus for Home and End: to the ends of a row, and with Ctrl to the first and the last
 * row, as in spreadsheets. AG Grid's own keys move it to the corners.
 * @returns true if the key was one of these.
 */
export function moveByKey({ event, api, node, column }: SuppressKeyboardEventParams): boolean {
  if (event.type !== 'keydown' || (event.key !== 'Home' && event.key !== 'End')) return false;
  const isHome = event.key === 'Home';
  event.preventDefault();
  if (event.ctrlKey || event.metaKey) {
    focusRow(api, isHome ? 0 : api.getDisplayedRowCount() - 1, column.getColId());
  } else {
    const target = isHome ? firstValueColumn(api) : api.getAllDisplayedColumns().at(-1);
    if (target && node.rowIndex !== null) {
      api.ensureColumnVisible(target);
      api.setFocusedCell(node.rowIndex, target);
    }
  }
  return true;
}

/** Scrolls to a row by its index, from 0, and focuses one of its cells. */
export function focusRow(api: GridApi, index: number, columnId?: string): void {
  if (index < 0) return;
  api.ensureIndexVisible(index, 'middle');
  const target = columnId ?? firstValueColumn(api);
  if (target === undefined) return;
  focusWhenDrawn(api, index, target, document.activeElement);
}

/** Maximum number of frames to wait for a cell: about two seconds. */
const FRAMES = 120;

/**
 * Focuses a cell once AG Grid has drawn it, which takes some frames after scrolling. Does nothing
 * if the focus has moved in the meantime.
 */
function focusWhenDrawn(
  api: GridApi,
  index: number,
  columnId: string,
  from: Element | null,
  frames = FRAMES,
): void {
  const { activeElement } = document;
  const isMoved = activeElement !== from && activeElement !== document.body;
  if (api.isDestroyed() || frames === 0 || isMoved) return;
  api.setFocusedCell(index, columnId);
  if (document.activeElement?.closest(`[row-index="${index}"]`)) return;
  requestAnimationFrame(() => {
    focusWhenDrawn(api, index, columnId, from, frames - 1);
  });
}

/** Returns the first column of the datagrid, after the pinned columns. */
function firstValueColumn(api: GridApi): string | undefined {
  const columns = api.getAllDisplayedColumns();
  return (columns.find((column) => !column.isPinned()) ?? columns[0])?.getColId();
}
