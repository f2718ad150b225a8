import type { GridApi } from 'ag-grid-community';
import { useEffect } from 'react';
import { NavigationType, useLocation, useNavigationType } from 'react-router';
import { focusCell } from './focus-cell';

/** What a grid shows: its first row on the screen, and the cell with the focus. */
interface Place {
  readonly top: number;
  readonly cell: { readonly row: number; readonly column: string } | undefined;
}

/** Places by the entry of the browser's history, the oldest first. */
const places = new Map<string, Place>();
const MAX_PLACES = 100;

const EVENTS = ['bodyScrollEnd', 'cellFocused'] as const;

/** Returns to the row and the cell that an entry of the history showed, after Back and Forward. */
export function usePlace(api: GridApi | undefined): void {
  const { key } = useLocation();
  const isReturn = useNavigationType() === NavigationType.Pop;
  useEffect(() => {
    if (!api) return undefined;
    let last = isReturn ? places.get(key) : undefined;
    let missing = last;
    const follow = (): void => {
      missing = undefined;
      last = placeOf(api);
    };
    /** Restores the place once its rows are known, unless the user is elsewhere. */
    const restoreMissing = (): void => {
      if (!missing || api.isDestroyed() || missing.top >= api.getDisplayedRowCount()) return;
      const place = missing;
      missing = undefined;
      restore(api, place);
    };
    // After the page has given the focus to its heading.
    const frame = requestAnimationFrame(restoreMissing);
    for (const event of EVENTS) api.addEventListener(event, follow);
    api.addEventListener('modelUpdated', restoreMissing);
    return () => {
      cancelAnimationFrame(frame);
      if (last) keep(key, last);
      if (api.isDestroyed()) return;
      for (const event of EVENTS) api.removeEventListener(event, follow);
      api.removeEventListener('modelUpdated', restoreMissing);
    };
  }, [api, key, isReturn]);
}

function keep(key: string, place: Place): void {
  places.delete(key);
  places.set(key, place);
  const [oldest] = places.keys();
  if (places.size > MAX_PLACES && oldest !== undefined) places.delete(oldest);
}

function placeOf(api: GridApi): Place {
  const { rowHeight } = api.getSizesForCurrentTheme();
  const focused = api.getFocusedCell();
  return {
    top: Math.ceil(api.getVerticalPixelRange().top / rowHeight),
    cell:
      focused && !focused.rowPinned
        ? { row: focused.rowIndex, column: focused.column.getColId() }
        : undefined,
  };
}

function restore(api: GridApi, { top, cell }: Place): void {
  api.ensureIndexVisible(top, 'top');
  if (!cell || !api.getColumn(cell.column)) return;
  api.ensureColumnVisible(cell.column);
  focusCell(api, cell.row, cell.column);
}
