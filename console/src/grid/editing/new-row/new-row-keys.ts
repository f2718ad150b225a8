import type { GridApi } from 'ag-grid-community';
import { COLUMN_TYPES, isReadOnly } from '../../../datagrids/column-type';
import type { Column } from '../../../datagrids/datagrid';
import { isTakenByEditor } from '../../cells/editor-keys';
import type { KnownRow } from '../../cells/known-row';
import { focusCell, focusNewRow } from '../../table/focus/focus-cell';
import { moved } from '../../table/ranges/cell-range';
import { boundsOf, rangeColumns } from '../../table/ranges/grid-positions';
import { undoActionOf } from '../../table/ranges/undo-keys';
import type { DraftRow } from './draft-row';

/** Index of the row in the attribute `row-index` of AG Grid. */
const ROW_INDEX = 'b-0';

export interface NewRowContext {
  readonly api: GridApi<KnownRow>;
  readonly draft: DraftRow;
  readonly columns: readonly Column[];
  /** Creates the row. */
  readonly save: () => void;
  /** Undo and redo actions, also the row that is being created. */
  readonly undo: () => void;
  readonly redo: () => void;
}

/** Focuses a cell of the last line, and opens its editor if its values are typed. */
export function startNewRow(api: GridApi<KnownRow>, { key, type }: Column): void {
  focusNewRow(api, key);
  const { editor, notation } = COLUMN_TYPES[type];
  const isTyped = editor === 'line' || (editor === 'area' && notation === 'text');
  if (isTyped) api.startEditingCell({ rowIndex: 0, rowPinned: 'bottom', colKey: key });
}

/**
 * Handles the keys in the last line: Tab moves on, Enter adds the row, and the up arrow leaves it.
 * @returns a function that removes the listener.
 */
export function followNewRowKeys(root: HTMLElement, context: () => NewRowContext): () => void {
  const onKey = (event: KeyboardEvent): void => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || event.isComposing) return;
    const current = context();
    const editing = current.api.getEditingCells()[0];
    const isHere = editing
      ? editing.rowPinned === 'bottom'
      : target.matches(`[row-index="${ROW_INDEX}"] .ag-cell`);
    if (!isHere) return;
    const id = editing?.colId ?? current.api.getFocusedCell()?.column.getColId();
    if (id === undefined) return;
    const at = current.columns.findIndex(({ key }) => key === id);
    const isTaken =
      (editing !== undefined && isTakenByEditor(event)) ||
      handle(event, editing !== undefined, at, current) ||
      (!editing && move(event, id, current.api));
    if (!isTaken) return;
    event.preventDefault();
    event.stopPropagation();
  };
  root.addEventListener('keydown', onKey, { capture: true });
  return () => {
    root.removeEventListener('keydown', onKey, { capture: true });
  };
}

/** Returns the text of a field. */
const valueOf = (target: EventTarget | null): string =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement ? target.value : '';

/**
 * Moves from a cell of the last line, as from a row that comes after all others. Without rows, the up
 * arrow leads to the header. AG Grid must not get these keys: it would look for a row before the first.
 * @returns true if the key was handled.
 */
function move({ key, ctrlKey, metaKey }: KeyboardEvent, id: string, api: GridApi): boolean {
  const isCtrl = ctrlKey || metaKey;
  const ids = rangeColumns(api);
  const column = ids.indexOf(id);
  const isToNumber = column <= 0 && key === 'ArrowLeft' && !isCtrl;
  const isFromNumber = column < 0 && key === 'ArrowRight' && !isCtrl;
  // AG Grid moves to and from the row numbers.
  if (isToNumber || isFromNumber) return false;
  const { rows, columns, pageRows } = boundsOf(api);
  const from = { row: rows, column: Math.max(0, column) };
  const to = moved(key, isCtrl, from, { rows: rows + 1, columns, pageRows });
  if (!to) return false;
  const next = /^(ArrowUp|ArrowDown|Page)/.test(key) ? id : (ids[to.column] ?? id);
  if (to.row < rows) focusCell(api, to.row, next);
  else if (key === 'ArrowUp') api.setFocusedHeader(next);
  else focusNewRow(api, next);
  return true;
}

/** @returns true if the key was handled. */
function handle(
  event: KeyboardEvent,
  isEditing: boolean,
  at: number,
  { api, draft, columns, save, undo, redo }: NewRowContext,
): boolean {
  const { key, shiftKey, target } = event;
  const column = columns[at];
  if (!column) return false;
  const action = undoActionOf(event);
  if (action) {
    // While something is typed, the keys belong to the field.
    if (draft.typed().size > 0 || (isEditing && valueOf(target) !== '')) return false;
    if (action === 'undo') undo();
    else redo();
    return true;
  }
  if (key === 'Tab') {
    const others = shiftKey ? columns.slice(0, at).reverse() : columns.slice(at + 1);
    const next = others.find(({ type }) => !isReadOnly(type));
    if (isEditing) api.stopEditing();
    if (next) focusNewRow(api, next.key);
    else if (shiftKey || draft.typed().size === 0) return false;
    else save();
    return true;
  }
  if (key === 'Enter') {
    if (shiftKey && target instanceof HTMLTextAreaElement) return false;
    if (!isEditing && draft.typed().size === 0) return false;
    if (isEditing) api.stopEditing();
    save();
    return true;
  }
  if (isEditing) return false;
  if (key === 'Delete' || key === 'Backspace') {
    draft.type(column.key, '');
    return true;
  }
  if (key === ' ' && COLUMN_TYPES[column.type].notation === 'boolean') {
    const isOn = draft.typed().get(column.key)?.typed === 'true';
    draft.type(column.key, isOn ? 'false' : 'true');
    return true;
  }
  return false;
}
