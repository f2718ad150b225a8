import type { CustomCellRendererProps } from 'ag-grid-react';
import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { gridText } from '../../../text/grid-text';
import type { CellEdit } from '../cell-edit';
import type { KnownRow } from '../known-row';
import './edited-cell.css';

interface Props extends CustomCellRendererProps<KnownRow, string> {
  readonly edit: CellEdit;
}

const { saving, unsaved, rejected, conflict } = gridText.edits;

/** Events after which the whole message is shown below the cell. */
const SHOWN_BY = ['mouseenter', 'focus'] as const;

const STATES = { typed: unsaved, waiting: saving, saving, unsaved, rejected, conflict };

/**
 * A cell with an unsaved edit: its input, and the reason why it is not saved. The cell gets
 * the class of its state.
 */
export function EditedCell({ edit, valueFormatted, eGridCell }: Props): ReactNode {
  const { state, message } = edit;
  useLayoutEffect(() => {
    const className = `cell-${state}`;
    eGridCell.classList.add(className);
    return () => {
      eGridCell.classList.remove(className);
    };
  }, [eGridCell, state]);
  const shown = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const place = (): void => {
      if (shown.current) placeMessage(eGridCell, shown.current);
    };
    place();
    for (const event of SHOWN_BY) eGridCell.addEventListener(event, place);
    return () => {
      for (const event of SHOWN_BY) eGridCell.removeEventListener(event, place);
    };
  }, [eGridCell, state, message]);
  const isQuiet = state === 'saving' || state === 'waiting' || state === 'typed';
  return (
    <span className="edited-cell">
      <span className="edited-cell-text">{valueFormatted ?? edit.typed}</span>
      {isQuiet ? (
        <span className="visually-hidden">{STATES[state]}</span>
      ) : (
        <span className="edited-cell-message" ref={shown}>
          {message || STATES[state]}
        </span>
      )}
    </span>
  );
}

/** Distance of a message from the edges of the grid, in pixels. */
const MARGIN = 4;

/**
 * Places the message that hangs below a cell: further left if it would reach beyond the right edge
 * of the grid, and above the cell if it would reach into the last line or beyond the lower edge.
 * Does nothing while the message is within the cell.
 */
function placeMessage(cell: HTMLElement, message: HTMLElement): void {
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
