import type { GridApi } from 'ag-grid-community';
import { contains, edgesOf } from './cell-range';
import { rangeColumns } from './grid-positions';
import type { RangeSelection } from './range-selection';

/**
 * Marks the selected cells for the style sheet and for screen readers: those on the screen when the
 * range changes, and others when the grid draws them.
 * @returns a function that stops it.
 */
export function drawRange(root: HTMLElement, api: GridApi, selection: RangeSelection): () => void {
  let isDrawn = false;
  const draw = (): void => {
    if (api.isDestroyed()) return;
    const box = selection.box();
    if (box === null && !isDrawn) return;
    isDrawn = box !== null;
    const columns = new Map(rangeColumns(api).map((id, index) => [id, index]));
    for (const cell of root.querySelectorAll('.ag-cell')) {
      const column = columns.get(cell.getAttribute('col-id') ?? '');
      const row = Number(cell.closest('[row-index]')?.getAttribute('row-index') ?? NaN);
      const isIn = box !== null && column !== undefined && contains(box, { row, column });
      if (isIn) {
        cell.setAttribute('data-range', edgesOf(box, { row, column }));
        cell.setAttribute('aria-selected', 'true');
      } else if (cell.hasAttribute('data-range')) {
        cell.removeAttribute('data-range');
        cell.removeAttribute('aria-selected');
      }
    }
  };
  const observer = new MutationObserver(() => {
    draw();
  });
  observer.observe(root, {
    subtree: true,
    childList: true,
    attributeFilter: ['row-index', 'col-id'],
  });
  const unsubscribe = selection.subscribe(() => {
    draw();
  });
  draw();
  return () => {
    observer.disconnect();
    unsubscribe();
  };
}
