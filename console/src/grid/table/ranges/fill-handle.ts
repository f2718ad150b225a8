import type { GridApi } from 'ag-grid-community';
import type { Box, Position } from './cell-range';
import { cellOf } from './grid-positions';
import type { RangeSelection } from './range-selection';

/** Size of the handle in the corner of the last selected cell, in pixels. */
const HANDLE = 9;
const SCROLL_PAUSE_MS = 40;

/** What the fill handle starts. */
export interface FillActions {
  readonly mayEdit: boolean;
  /** Fills a larger box from the selected one. With `isCopy`, series do not continue. */
  readonly fillTo: (source: Box, target: Box, isCopy: boolean) => void;
  /** Fills down beside the values of a neighboring column. */
  readonly fillDown: (source: Box) => void;
}

/**
 * Lets users drag the corner of the selected cells over others to fill them. Add it before other
 * listeners of the mouse.
 * @returns a function that stops it.
 */
export function followFillHandle(
  root: HTMLElement,
  api: GridApi,
  selection: RangeSelection,
  actions: () => FillActions,
): () => void {
  let source: Box | undefined;
  let target: Box | undefined;
  let pointer = { x: 0, y: 0 };
  let scroll: ReturnType<typeof setInterval> | undefined;

  const isOnHandle = ({ target: element, clientX, clientY, button }: MouseEvent): boolean => {
    const cell = element instanceof Element ? element.closest('.ag-cell') : null;
    const edges = cell?.getAttribute('data-range') ?? '';
    if (!cell || button !== 0 || !edges.includes('rb') || !actions().mayEdit) return false;
    const { right, bottom } = cell.getBoundingClientRect();
    return right - clientX <= HANDLE && bottom - clientY <= HANDLE;
  };
  const select = ({ top, left, bottom, right }: Box): void => {
    selection.set({ anchor: { row: top, column: left }, head: { row: bottom, column: right } });
  };
  const extendTo = (to: Position | undefined): void => {
    if (!source || !to) return;
    target = extended(source, to);
    select(target);
  };
  const onScroll = (): void => {
    const body = root.querySelector('.ag-body')?.getBoundingClientRect();
    if (!source || !target || !body) return;
    const step = pointer.y < body.top ? -1 : pointer.y > body.bottom ? 1 : 0;
    const row = (target.bottom > source.bottom ? target.bottom : target.top) + step;
    if (step === 0 || row < 0 || row >= api.getDisplayedRowCount()) return;
    api.ensureIndexVisible(row);
    extendTo({ row, column: source.left });
  };
  const onMove = ({ clientX, clientY }: MouseEvent): void => {
    pointer = { x: clientX, y: clientY };
    extendTo(cellOf(api, document.elementFromPoint(clientX, clientY))?.position);
  };
  const stop = (): Box | undefined => {
    const from = source;
    source = undefined;
    clearInterval(scroll);
    document.removeEventListener('mousemove', onMove);
    document.removeEventListener('mouseup', onUp);
    document.removeEventListener('keydown', onKey, { capture: true });
    return from;
  };
  const onUp = ({ ctrlKey, metaKey }: MouseEvent): void => {
    const from = stop();
    if (from && target && !isSameBox(from, target)) {
      actions().fillTo(from, target, ctrlKey || metaKey);
    }
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    const from = stop();
    if (from) select(from);
  };

  const onDown = (event: PointerEvent): void => {
    if (event.pointerType === 'touch' || !isOnHandle(event)) return;
    const box = selection.box();
    if (!box) return;
    event.stopPropagation();
    source = box;
    target = box;
    scroll = setInterval(onScroll, SCROLL_PAUSE_MS);
    document.addEventListener('mousemove', onMove);
    document.addEventListener('mouseup', onUp);
    document.addEventListener('keydown', onKey, { capture: true });
  };
  // Keeps the focus on its cell.
  const onMouseDown = (event: MouseEvent): void => {
    if (!source) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const onDoubleClick = (event: MouseEvent): void => {
    const box = isOnHandle(event) ? selection.box() : null;
    if (!box) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    actions().fillDown(box);
  };

  const listeners = [
    ['pointerdown', onDown as (event: Event) => void],
    ['mousedown', onMouseDown as (event: Event) => void],
    ['dblclick', onDoubleClick as (event: Event) => void],
  ] as const;
  for (const [type, listener] of listeners) {
    root.addEventListener(type, listener, { capture: true });
  }
  return () => {
    stop();
    for (const [type, listener] of listeners) {
      root.removeEventListener(type, listener, { capture: true });
    }
  };
}

/** Returns a box extended to a cell: down or up if the cell is in other rows, and sideways otherwise. */
function extended(source: Box, { row, column }: Position): Box {
  if (row > source.bottom) return { ...source, bottom: row };
  if (row < source.top) return { ...source, top: row };
  if (column > source.right) return { ...source, right: column };
  if (column < source.left) return { ...source, left: column };
  return source;
}

function isSameBox(one: Box, other: Box): boolean {
  return (
    one.top === other.top &&
    one.bottom === other.bottom &&
    one.left === other.left &&
    one.right === other.right
  );
}
