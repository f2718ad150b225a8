import type { GridApi } from 'ag-grid-community';
import { createContext, useContext } from 'react';
import { rangeColumns } from './grid-positions';
import type { RangeSelection } from './range-selection';

/** The selected range, for the headers of the columns. */
export const RangeContext = createContext<RangeSelection | undefined>(undefined);

/** Returns a function that selects a column, or extends the selection to it. */
export function useColumnSelection(api: GridApi): (columnId: string, isMore: boolean) => void {
  const selection = useContext(RangeContext);
  return (columnId, isMore) => {
    const column = rangeColumns(api).indexOf(columnId);
    const rows = api.getDisplayedRowCount();
    if (!selection || column < 0 || rows === 0) return;
    const head = { row: rows - 1, column };
    const range = selection.current();
    if (isMore && range) {
      selection.set({ anchor: { ...range.anchor, row: 0 }, head });
      return;
    }
    const row = Math.max(0, api.getFirstDisplayedRowIndex());
    // The focus is on a row of the screen, so that the rows do not scroll.
    selection.set({ anchor: { row: 0, column }, head });
    api.setFocusedCell(row, columnId);
    selection.set({ anchor: { row: 0, column }, head });
  };
}
