import type { GridApi } from 'ag-grid-community';
import { CHECK_COLUMN_ID, NUMBER_COLUMN_ID } from '../columns/column-ids';
import type { Bounds, Position } from './cell-range';

/** Returns the ids of the columns that ranges can contain, in the displayed order. */
export function rangeColumns(api: GridApi): string[] {
  return api
    .getAllDisplayedColumns()
    .map((column) => column.getColId())
    .filter((id) => id !== NUMBER_COLUMN_ID && id !== CHECK_COLUMN_ID);
}

export function boundsOf(api: GridApi): Bounds {
  const first = api.getFirstDisplayedRowIndex();
  const last = api.getLastDisplayedRowIndex();
  const { top, bottom } = api.getVerticalPixelRange();
  const rowHeight = api.getSizesForCurrentTheme().rowHeight;
  const onScreen = Math.floor((bottom - top) / rowHeight) - 1;
  const rows = api.getDisplayedRowCount();
  return {
    rows,
    columns: rangeColumns(api).length,
    // Without rows, there are no displayed ones.
    pageRows: rows === 0 ? 1 : Math.max(1, Math.min(onScreen, last - first)),
  };
}

/** Returns the position of the cell with the focus, unless it is outside the columns of ranges. */
export function focusedPosition(api: GridApi): Position | undefined {
  const cell = api.getFocusedCell();
  if (!cell || cell.rowPinned) return undefined;
  const column = rangeColumns(api).indexOf(cell.column.getColId());
  return column < 0 ? undefined : { row: cell.rowIndex, column };
}

/**
 * Returns the position of the cell of the last line that has the focus: its row comes after all others.
 */
export function newRowPosition(api: GridApi): Position | undefined {
  const cell = api.getFocusedCell();
  if (cell?.rowPinned !== 'bottom') return undefined;
  const column = rangeColumns(api).indexOf(cell.column.getColId());
  return column < 0 ? undefined : { row: api.getDisplayedRowCount(), column };
}

/** The cell of an element: its row, and its column unless ranges cannot contain it. */
export interface CellOfElement {
  readonly row: number;
  readonly columnId: string;
  readonly position: Position | undefined;
}

/** Returns the cell that an element of the page belongs to. */
export function cellOf(api: GridApi, element: Element | null): CellOfElement | undefined {
  const cell = element?.closest('.ag-cell');
  const columnId = cell?.getAttribute('col-id');
  const row = Number(cell?.closest('[row-index]')?.getAttribute('row-index') ?? NaN);
  if (columnId == null || Number.isNaN(row)) return undefined;
  const column = rangeColumns(api).indexOf(columnId);
  return { row, columnId, position: column < 0 ? undefined : { row, column } };
}
