/**
 * Gives the cell below the pointer its whole text as title while the text is cut off. While the grid
 * scrolls below a pointer that rests, nothing is measured.
 * @returns a function that stops.
 */
export function titleTruncatedCells(root: HTMLElement): () => void {
  let measured: HTMLElement | null = null;
  /** Its text then. */
  let text: string | undefined;
  let last = { x: NaN, y: NaN };
  const onMove = ({ target, clientX: x, clientY: y }: MouseEvent): void => {
    // After scrolling, the browser sends an event for the pointer that has not moved.
    if (x === last.x && y === last.y) return;
    last = { x, y };
    const cell = target instanceof Element ? target.closest<HTMLElement>('.ag-cell') : null;
    if (cell === measured && cell?.textContent === text) return;
    measured = cell;
    text = cell?.textContent;
    if (cell && !cell.matches('.ag-cell-inline-editing')) titleIfTruncated(cell);
  };
  root.addEventListener('mousemove', onMove);
  return () => {
    root.removeEventListener('mousemove', onMove);
  };
}

function titleIfTruncated(cell: HTMLElement): void {
  const texts = [
    cell,
    ...cell.querySelectorAll<HTMLElement>('.ag-cell-value, .edited-cell-text, .value-cell-text'),
  ];
  const isCut = texts.some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
  const text = cell.textContent;
  if (isCut && text !== '') cell.title = text;
  else cell.removeAttribute('title');
}
