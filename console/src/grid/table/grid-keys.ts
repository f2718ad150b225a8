import type { GridApi } from 'ag-grid-community';
import { useEffect, useRef } from 'react';

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

/** Returns the column that takes the place of one that goes: the next one, or the previous one. */
export function columnBeside(api: GridApi, columnId: string): string | undefined {
  const ids = api.getAllDisplayedColumns().map((column) => column.getColId());
  const at = ids.indexOf(columnId);
  return at < 0 ? undefined : (ids[at + 1] ?? ids[at - 1]);
}

/**
 * Focuses a header once another column is gone, whose header or menu had the focus. Does nothing if
 * the focus has moved in the meantime.
 */
export function focusHeaderAfter(
  api: GridApi,
  goneId: string,
  nextId: string | undefined,
  frames = FRAMES,
): void {
  if (api.isDestroyed() || frames === 0 || nextId === undefined) return;
  const { activeElement } = document;
  const isGone = api.getColumn(goneId)?.isVisible() !== true;
  if (!isGone || activeElement?.closest('[role="menu"], [role="dialog"]')) {
    requestAnimationFrame(() => {
      focusHeaderAfter(api, goneId, nextId, frames - 1);
    });
    return;
  }
  // A closed dialog whose opener is gone has given the focus to the heading of the page.
  if (activeElement && !['BODY', 'H1'].includes(activeElement.tagName)) return;
  api.ensureColumnVisible(nextId);
  api.setFocusedHeader(nextId);
}

/** Focuses the header beside a column that is removed in a dialog. */
export function useHeaderFocus(
  api: GridApi | undefined,
  dialog: { readonly kind: string; readonly startWith?: string } | undefined,
  columns: readonly { readonly key: string }[],
): void {
  const removing = dialog?.kind === 'remove-column' ? dialog.startWith : undefined;
  const beside = useRef<string>(undefined);
  useEffect(() => {
    if (!api || removing === undefined) return;
    if (columns.some(({ key }) => key === removing)) beside.current = columnBeside(api, removing);
    else focusHeaderAfter(api, removing, beside.current);
  }, [api, removing, columns]);
}

/** Returns the first column of the datagrid, after the pinned columns. */
function firstValueColumn(api: GridApi): string | undefined {
  const columns = api.getAllDisplayedColumns();
  return (columns.find((column) => !column.isPinned()) ?? columns[0])?.getColId();
}
