import type { CustomCellRendererProps } from 'ag-grid-react';
import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { gridText } from '../../text/grid-text';
import type { CellEdit, KnownRow } from '../edits/row-edit';
import { placeMessage } from './place-message';
import './edited-cell.css';

interface Props extends CustomCellRendererProps<KnownRow, string> {
  readonly edit: CellEdit;
}

const { saving, unsaved, rejected, conflict } = gridText.edits;

/** Events after which the whole message is shown below the cell. */
const SHOWN_BY = ['mouseenter', 'focus'] as const;

const STATES = { waiting: saving, saving, unsaved, rejected, conflict };

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
  const isOnItsWay = state === 'saving' || state === 'waiting';
  return (
    <span className="edited-cell">
      <span className="edited-cell-text">{valueFormatted ?? edit.typed}</span>
      {isOnItsWay ? (
        <span className="visually-hidden">{STATES[state]}</span>
      ) : (
        <span className="edited-cell-message" ref={shown}>
          {message || STATES[state]}
        </span>
      )}
    </span>
  );
}
