import type { GridApi, HeaderPosition, TabToNextHeaderParams } from 'ag-grid-community';
import { useEffect, useRef } from 'react';
import { NO_VALUES } from '../columns/column-ids';
import { firstValueColumn } from '../focus/focus-cell';
import { whenFocusIsFree } from '../focus/free-focus';

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
export function focusHeaderAfter(api: GridApi, goneId: string, nextId: string | undefined): void {
  if (nextId === undefined) return;
  const isGone = (): boolean => api.isDestroyed() || api.getColumn(goneId)?.isVisible() !== true;
  whenFocusIsFree(() => {
    if (api.isDestroyed()) return;
    api.ensureColumnVisible(nextId);
    api.setFocusedHeader(nextId);
  }, isGone);
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

/** The row below the headers, for AG Grid. */
const ROWS = -1;

/**
 * Returns where Tab leads from a header: to the rows, and back out of the grid. The arrow keys move
 * between the headers, so that all of them are one stop. From a header without values, Tab leads to
 * the first column that has some.
 */
export function tabFromHeader({
  api,
  backwards,
  previousHeaderPosition,
}: TabToNextHeaderParams): HeaderPosition | false {
  if (backwards || !previousHeaderPosition) return false;
  const { column } = previousHeaderPosition;
  const id = 'getColId' in column ? column.getColId() : '';
  const first = firstValueColumn(api);
  const other = first !== undefined && NO_VALUES.has(id) ? api.getColumn(first) : null;
  return { headerRowIndex: ROWS, column: other ?? column };
}

/**
 * Moves the focus from a header to the first one with Home, and to the last one with End.
 * @returns a function that stops it.
 */
export function followHeaderKeys(root: HTMLElement, api: GridApi): () => void {
  const onKey = (event: KeyboardEvent): void => {
    const { target, key } = event;
    if (key !== 'Home' && key !== 'End') return;
    if (!(target instanceof Element) || !target.matches('.ag-header-cell')) return;
    const column = api.getAllDisplayedColumns().at(key === 'Home' ? 0 : -1);
    if (!column) return;
    event.preventDefault();
    api.ensureColumnVisible(column);
    api.setFocusedHeader(column);
  };
  root.addEventListener('keydown', onKey);
  return () => {
    root.removeEventListener('keydown', onKey);
  };
}
