import { gridText } from '../../text/grid-text';
import { NUMBER_COLUMN_ID } from '../table/columns/column-ids';

const SVG = 'http://www.w3.org/2000/svg';
const ICON = 'M9.5 2.5h4v4M13.5 2.5 9 7M6.5 13.5h-4v-4M2.5 13.5 7 9';

/**
 * Shows a button beside the number of the row below the pointer, or of the row with the focus, which
 * opens the row as a card. A touch leaves only the focus. Enter on the number opens it, too. There is one
 * button, which moves, so that scrolling stays fast.
 * @returns a function that removes it.
 */
export function showExpandButton(root: HTMLElement, onOpen: (index: number) => void): () => void {
  const button = expandButton();
  const showIn = (target: EventTarget | null): void => {
    const row = target instanceof Element ? target.closest('.ag-row') : null;
    const index = indexOf(row);
    const cell = row?.querySelector(`[col-id="${NUMBER_COLUMN_ID}"]`);
    if (index === undefined || !cell) {
      button.remove();
      return;
    }
    if (button.parentElement !== cell) cell.append(button);
    button.setAttribute('aria-label', gridText.card.open(index + 1));
  };
  const onRow = ({ target }: Event): void => {
    showIn(target);
  };
  const onLeave = (): void => {
    const { activeElement } = document;
    showIn(root.contains(activeElement) ? activeElement : null);
  };
  // The range of selected cells stays as it is.
  const onDown = (event: MouseEvent): void => {
    event.stopPropagation();
  };
  const onClick = (event: MouseEvent): void => {
    event.stopPropagation();
    const index = indexOf(button.closest('.ag-row'));
    // The focus returns to the cell.
    button.closest<HTMLElement>('.ag-cell')?.focus();
    if (index !== undefined) onOpen(index);
  };
  const onKey = (event: KeyboardEvent): void => {
    const { target, key } = event;
    if (key !== 'Enter' || !(target instanceof Element)) return;
    if (!target.matches(`.ag-cell[col-id="${NUMBER_COLUMN_ID}"]`)) return;
    const index = indexOf(target.closest('.ag-row'));
    if (index === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onOpen(index);
  };
  button.addEventListener('mousedown', onDown);
  button.addEventListener('click', onClick);
  root.addEventListener('mouseover', onRow);
  root.addEventListener('focusin', onRow);
  root.addEventListener('mouseleave', onLeave);
  root.addEventListener('keydown', onKey, { capture: true });
  return () => {
    button.remove();
    root.removeEventListener('mouseover', onRow);
    root.removeEventListener('focusin', onRow);
    root.removeEventListener('mouseleave', onLeave);
    root.removeEventListener('keydown', onKey, { capture: true });
  };
}

/** Returns the index of a row, but none of the last line. */
function indexOf(row: Element | null): number | undefined {
  const index = Number(row?.getAttribute('row-index') ?? Number.NaN);
  return Number.isNaN(index) ? undefined : index;
}

function expandButton(): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.tabIndex = -1;
  button.className = 'row-expand';
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', ICON);
  svg.append(path);
  button.append(svg);
  return button;
}
