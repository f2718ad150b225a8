import { useSyncExternalStore, type ReactNode } from 'react';
import type { Column } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import type { DraftRow } from './draft-row';

const t = gridText.newRow;

export interface NewRowNoteProps {
  readonly draft: DraftRow;
  readonly columns: readonly Column[];
}

/** Says that the typed row is not saved, and which of its cells say why. */
export function NewRowNote({ draft, columns }: NewRowNoteProps): ReactNode {
  const typed = useSyncExternalStore(draft.subscribe, draft.typed);
  const wrong = columns.filter(({ key }) => typed.get(key)?.state === 'rejected');
  const check = wrong.length > 0 ? t.check(wrong.map(({ title }) => title)) : '';
  const why = [check, draft.message].filter((text) => text !== '').join(' ');
  const isEmpty = typed.size === 0;
  const waiting = draft.waiting > 0 ? t.waiting(draft.waiting) : '';
  return (
    <div
      className="new-row-note"
      data-empty={isEmpty && !draft.isSaving && waiting === ''}
      aria-live="polite"
    >
      {isEmpty ? waiting || (draft.isSaving && t.saving) : t.notSaved(why || t.pressEnter)}
      {!isEmpty && ` ${waiting}`}
      {isEmpty && waiting !== '' && (
        <button
          type="button"
          onClick={() => {
            draft.recall();
          }}
        >
          {t.show}
        </button>
      )}
      {!isEmpty && (
        <button
          type="button"
          onClick={() => {
            draft.discard();
          }}
        >
          {t.discard}
        </button>
      )}
    </div>
  );
}
