/**
 * Gives the cell below the pointer its whole text as title while the text is cut off.
 * @returns a function that stops.
 */
export function titleTruncatedCells(root: HTMLElement): () => void {
  const onOver = ({ target }: MouseEvent): void => {
    const cell = target instanceof Element ? target.closest<HTMLElement>('.ag-cell') : null;
    if (!cell || cell.matches('.ag-cell-inline-editing')) return;
    const texts = [
      cell,
      ...cell.querySelectorAll<HTMLElement>('.ag-cell-value, .edited-cell-text'),
    ];
    const isCut = texts.some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
    const text = cell.textContent;
    if (isCut && text !== '') cell.title = text;
    else cell.removeAttribute('title');
  };
  root.addEventListener('mouseover', onOver);
  return () => {
    root.removeEventListener('mouseover', onOver);
  };
}
