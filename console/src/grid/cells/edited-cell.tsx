import type { CustomCellRendererProps } from 'ag-grid-react';
import type { ReactNode } from 'react';
import { gridText } from '../../text/grid-text';
import type { CellEdit, KnownRow } from '../edits/row-edit';

interface Props extends CustomCellRendererProps<KnownRow, string> {
  readonly edit: CellEdit;
}

const { saving, unsaved, rejected, conflict } = gridText.edits;

const STATES = { waiting: saving, saving, unsaved, rejected, conflict };

/** A cell with an unsaved edit: its input, and the reason why it is not saved. */
export function EditedCell({ edit, valueFormatted }: Props): ReactNode {
  const { state, message } = edit;
  const isOnItsWay = state === 'saving' || state === 'waiting';
  return (
    <span className="edited-cell">
      <span className="edited-cell-text">{valueFormatted ?? edit.typed}</span>
      {isOnItsWay ? (
        <span className="visually-hidden">{STATES[state]}</span>
      ) : (
        <span className="edited-cell-message">{message || STATES[state]}</span>
      )}
    </span>
  );
}
