import { useSyncExternalStore, type ReactNode } from 'react';
import type { Column } from '../../datagrids/datagrid';
import type { DraftRow } from './draft-row';

export interface NewRowNoteProps {
  readonly draft: DraftRow;
  readonly columns: readonly Column[];
}

/** Says that the typed row is not saved, and why. */
export function NewRowNote({ draft, columns }: NewRowNoteProps): ReactNode {
  const typed = useSyncExternalStore(draft.subscribe, draft.typed);
  const wrong = columns.flatMap(({ key, title }) => {
    const cell = typed.get(key);
    return cell?.state === 'rejected' ? [`${title}: ${cell.message}.`] : [];
  });
  const isSaving = [...typed.values()].some(({ state }) => state === 'saving');
  const why = [...wrong, draft.message].filter((text) => text !== '').join(' ');
  return (
    <div className="new-row-note" data-empty={typed.size === 0} aria-live="polite">
      {typed.size > 0 && (
        <>
          {isSaving
            ? 'Saving the new row'
            : `New row, not saved. ${why || 'Press Enter to add it.'}`}
          {!isSaving && (
            <button
              type="button"
              onClick={() => {
                draft.discard();
              }}
            >
              Discard
            </button>
          )}
        </>
      )}
    </div>
  );
}
