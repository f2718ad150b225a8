import type { CellFocusedEvent, GridApi, IRowNode } from 'ag-grid-community';
import { useEffect, useEffectEvent, useMemo, useRef, type RefObject } from 'react';
import { isReadOnly } from '../../../datagrids/column-type';
import type { Column, Datagrid, Row } from '../../../datagrids/datagrid';
import { useSession } from '../../../session/session-context';
import type { CellInputs } from '../../cells/cell-edit';
import type { KnownRow } from '../../cells/known-row';
import { focusNewRow } from '../../table/focus/focus-cell';
import type { EditStore } from '../unsaved/edit-store';
import { DRAFT_ID, draftOf, type DraftRow } from './draft-row';
import { followNewRowKeys } from './new-row-keys';

export interface NewRowProps {
  readonly root: RefObject<HTMLElement | null>;
  readonly api: GridApi<KnownRow> | undefined;
  readonly datagrid: Datagrid;
  /** Visible columns in the order of display. */
  readonly shown: readonly Column[];
  readonly edits: EditStore;
  readonly mayEdit: boolean;
  /** A cell of the last line gets the focus. */
  readonly onFocused: () => void;
  readonly onAdded: (row: Row) => void;
  readonly undo: () => void;
  readonly redo: () => void;
}

export interface NewRow {
  readonly draft: DraftRow;
  /** Rows at the bottom of the grid: the row to type into, if the user may. */
  readonly pinned: KnownRow[];
  /** Inputs of the rows and of the new row. */
  readonly inputs: CellInputs;
}

/** Adds a last line to a grid, in which the user types a new row. */
export function useNewRow(props: NewRowProps): NewRow {
  const { root, api, datagrid, shown, edits, mayEdit, onFocused, onAdded, undo, redo } = props;
  const { user } = useSession();
  const { columns } = datagrid;
  const draft = useMemo(() => draftOf(user.id, datagrid), [user.id, datagrid]);
  const pinned = useMemo(
    () => (mayEdit && columns.length > 0 ? [draft.row] : []),
    [mayEdit, columns.length, draft],
  );
  const inputs = useMemo(
    (): CellInputs => ({
      cell: (id, key) => (id === DRAFT_ID ? draft.typed().get(key) : edits.cell(id, key)),
      type: (row, key, typed) => {
        if (row.id === DRAFT_ID) draft.type(key, typed);
        else edits.type(row, key, typed);
      },
    }),
    [draft, edits],
  );

  const lastAdded = useRef(Promise.resolve());
  /** @param isStaying True if the next row will be typed. */
  const save = useEffectEvent((isStaying: boolean) => {
    const saved = draft.save(columns);
    const isFree = draft.typed().size === 0;
    const first = shown.find(({ type }) => !isReadOnly(type));
    if (isStaying && isFree && first && api) focusNewRow(api, first.key);
    const { sent } = draft;
    lastAdded.current = saved.then((row) => {
      if (row) onAdded(row);
      if (row || !api || api.isDestroyed()) return;
      // Text of the next row must not get into this one.
      const isEditing = api.getEditingCells().some(({ rowPinned }) => rowPinned === 'bottom');
      if (isEditing || (isStaying && draft.sent !== sent)) return;
      draft.recall();
      const wrong = shown.find(({ key }) => draft.typed().get(key)?.state === 'rejected');
      if (isStaying && wrong) focusNewRow(api, wrong.key);
    });
  });
  const focused = useEffectEvent(() => {
    onFocused();
  });
  const contextOf = useEffectEvent((grid: GridApi<KnownRow>) => ({
    api: grid,
    draft,
    columns: shown,
    save: () => {
      save(true);
    },
    undo: () => void lastAdded.current.then(undo),
    redo: () => void lastAdded.current.then(redo),
  }));
  useEffect(() => {
    const element = root.current;
    if (!api || !element || !mayEdit) return undefined;
    // Another row gets the focus: this one is complete.
    const onCell = ({ rowIndex, rowPinned }: CellFocusedEvent): void => {
      if (rowIndex === null) return;
      if (rowPinned === 'bottom') focused();
      else save(false);
    };
    api.addEventListener('cellFocused', onCell);
    const stop = followNewRowKeys(element, () => contextOf(api));
    return () => {
      stop();
      if (!api.isDestroyed()) api.removeEventListener('cellFocused', onCell);
    };
  }, [api, root, mayEdit]);
  useEffect(
    () =>
      draft.subscribe(() => {
        const node: IRowNode<KnownRow> | undefined = api?.getPinnedBottomRow(0);
        if (api && node) api.refreshCells({ rowNodes: [node], force: true });
      }),
    [api, draft],
  );
  return { draft, pinned, inputs };
}
