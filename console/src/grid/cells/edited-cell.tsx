import type { CustomCellRendererProps } from 'ag-grid-react';
import type { ReactNode } from 'react';
import type { CellEdit, KnownRow } from '../edits/row-edit';

interface Props extends CustomCellRendererProps<KnownRow, string> {
  readonly edit: CellEdit;
}

const STATES = {
  waiting: 'Saving',
  saving: 'Saving',
  unsaved: 'Not saved',
  rejected: 'Rejected',
  conflict: 'Changed by somebody else',
} as const;

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
