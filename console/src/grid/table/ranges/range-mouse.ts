import type { GridApi } from 'ag-grid-community';
import { NUMBER_COLUMN_ID } from '../columns/column-ids';
import { focusCell } from '../focus/focus-cell';
import type { Position } from './cell-range';
import { boundsOf, cellOf, rangeColumns } from './grid-positions';
import type { RangeSelection } from './range-selection';

/**
 * Selects with the mouse: a drag selects a range, Shift+click extends it, a row number selects its
 * row, and the header of a column selects the column.
 * @returns a function that stops it.
 */
export function followMouse(
  root: HTMLElement,
  api: GridApi,
  selection: RangeSelection,
): () => void {
  let drag: 'cells' | 'rows' | undefined;
  let scroll: ReturnType<typeof setInterval> | undefined;
  /** Whether the last press was handled here alone. */
  let isTaken = false;
  let rowToFocus: number | undefined;
  let pointer = { x: 0, y: 0 };

  /** Returns the last cell of the drag at the pointer. */
  const headAt = (row: number, position: Position | undefined): Position | undefined =>
    drag === 'rows' ? { row, column: boundsOf(api).columns - 1 } : position;

  const extendTo = (): void => {
    const cell = cellOf(api, document.elementFromPoint(pointer.x, pointer.y));
    const head = cell && headAt(cell.row, cell.position);
    const now = selection.current()?.head;
    if (head && (head.row !== now?.row || head.column !== now.column)) selection.extend(head);
  };

  /** Scrolls while the pointer is above or below the rows. */
  const scrollOn = (): void => {
    const body = root.querySelector('.ag-body')?.getBoundingClientRect();
    const head = selection.current()?.head;
    if (!body || !head) return;
    const step = pointer.y < body.top ? -1 : pointer.y > body.bottom ? 1 : 0;
    const row = head.row + step;
    if (step === 0 || row < 0 || row >= api.getDisplayedRowCount()) return;
    api.ensureIndexVisible(row);
    selection.extend({ ...head, row });
  };

  /** Keeps the focus where it is, after AG Grid was kept from moving it. */
  const onMouseDown = (event: MouseEvent): void => {
    if (!isTaken) return;
    event.preventDefault();
    event.stopPropagation();
    const [columnId] = rangeColumns(api);
    if (rowToFocus === undefined || columnId === undefined) return;
    api.ensureColumnVisible(columnId);
    focusCell(api, rowToFocus, columnId);
  };
  // AG Grid moves the focus when the pointer goes down, and the browser with the mouse event after it.
  const onDown = (event: PointerEvent): void => {
    isTaken = false;
    rowToFocus = undefined;
    // A finger scrolls. AG Grid selects the cell that is tapped.
    if (event.pointerType === 'touch') return;
    const element = event.target instanceof Element ? event.target : null;
    if (event.button !== 0 || element?.closest('.ag-cell-inline-editing, .ag-popup')) return;
    const cell = cellOf(api, element);
    if (!cell) return;
    const isRowNumber = cell.columnId === NUMBER_COLUMN_ID;
    if (!isRowNumber && !cell.position) return;
    drag = isRowNumber ? 'rows' : 'cells';
    const head = headAt(cell.row, cell.position);
    if (!head) return;
    pointer = { x: event.clientX, y: event.clientY };
    if (event.shiftKey && selection.current()) {
      // The focus stays on the anchor.
      isTaken = true;
      event.stopPropagation();
      selection.extend(head);
    } else if (isRowNumber) {
      isTaken = true;
      event.stopPropagation();
      api.stopEditing();
      selection.set({ anchor: { row: cell.row, column: 0 }, head });
      rowToFocus = cell.row;
    } else selection.collapse(head);
    scroll = setInterval(scrollOn, 40);
    document.addEventListener('mousemove', onMove);
    document.addEventListener('mouseup', onUp, { once: true });
  };
  const onMove = (event: MouseEvent): void => {
    pointer = { x: event.clientX, y: event.clientY };
    extendTo();
  };
  const onUp = (): void => {
    drag = undefined;
    clearInterval(scroll);
    document.removeEventListener('mousemove', onMove);
  };

  root.addEventListener('pointerdown', onDown, { capture: true });
  root.addEventListener('mousedown', onMouseDown, { capture: true });
  return () => {
    onUp();
    root.removeEventListener('pointerdown', onDown, { capture: true });
    root.removeEventListener('mousedown', onMouseDown, { capture: true });
  };
}
