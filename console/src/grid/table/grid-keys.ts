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
    const target = isHome ? firstValueColumn(api) : api.getAllDisplayedColumns().at(-1);
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
  const target = columnId ?? firstValueColumn(api);
  if (target === undefined) return;
  focusWhenDrawn(api, index, target, document.activeElement);
}

/** Frames that a cell is waited for: about two seconds. */
const FRAMES = 120;

/**
 * The grid gives the focus to a cell that is drawn, and draws some frames after it has scrolled.
 * Whoever has moved the focus from where it was meanwhile keeps it.
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

/** Those before it, pinned, are the grid's own. */
function firstValueColumn(api: GridApi): string | undefined {
  const columns = api.getAllDisplayedColumns();
  return (columns.find((column) => !column.isPinned()) ?? columns[0])?.getColId();
}
