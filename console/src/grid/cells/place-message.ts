/** Distance of a message from the edges of the grid, in pixels. */
const MARGIN = 4;

/**
 * Places the message that hangs below a cell: further left if it would reach beyond the right edge
 * of the grid, and above the cell if it would reach into the last line or beyond the lower edge.
 * Does nothing while the message is within the cell.
 */
export function placeMessage(cell: HTMLElement, message: HTMLElement): void {
  const view = cell.closest('.ag-grid-viewport');
  if (!view || getComputedStyle(message).position !== 'absolute') return;
  const edges = view.getBoundingClientRect();
  const bar = view.parentElement?.querySelector<HTMLElement>('.ag-body-vertical-scroll');
  const isLastLine = cell.closest('.ag-row-pinned') !== null;
  const isRoomBelow = cell.closest('[data-room]') !== null;
  const line = view.querySelector('.ag-grid-pinned-bottom-rows-container');
  const bottom = isRoomBelow ? edges.bottom : (line?.getBoundingClientRect().top ?? edges.bottom);
  message.style.setProperty('--room', `${String(edges.width - 2 * MARGIN)}px`);
  const { left, bottom: below } = cell.getBoundingClientRect();
  const right = edges.right - (bar?.offsetWidth ?? 0) - MARGIN;
  const start = Math.max(edges.left + MARGIN, Math.min(left, right - message.offsetWidth));
  message.style.left = `${String(Math.round(start - left) - 1)}px`;
  const isAbove = isLastLine || below + message.offsetHeight > bottom;
  message.toggleAttribute('data-above', isAbove);
}
