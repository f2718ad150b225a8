import type { GridApi } from 'ag-grid-community';
import { isTakenByEditor } from '../../cells/editor-keys';
import { keyOfText } from '../../cells/grid-cell/start-value';
import { followTexts, isOfInputMethod } from '../../cells/grid-cell/typing-field';
import { NO_VALUES } from '../columns/column-ids';
import { focusCell } from '../focus/focus-cell';
import { extended, moved, tabbed, type Position } from './cell-range';
import type { FillActions } from './fill-handle';
import { boundsOf, cellOf, focusedPosition, rangeColumns } from './grid-positions';
import type { RangeSelection } from './range-selection';
import { undoActionOf } from './undo-keys';

/** Actions of keys other than movement. Each returns whether it applies. */
export interface RangeCommands extends FillActions {
  /** Empties the selected cells. */
  readonly clear: () => void;
  /** Says why a cell cannot be edited. Returns false if it can. */
  readonly reject: (position: Position) => boolean;
  /** Toggles a checkbox. Returns false for columns of other types. */
  readonly toggle: (position: Position) => boolean;
  /** Opens the first linked row of a cell. Returns false for columns of other types. */
  readonly openLink: (position: Position) => boolean;
  readonly focusSearch: () => void;
  readonly undo: () => void;
  readonly redo: () => void;
  /** Copies the first row or column of the selected cells to the others. */
  readonly fill: (direction: 'down' | 'right') => void;
}

/** The last line for AG Grid. */
const NEW_ROW = { rowIndex: 0, rowPinned: 'bottom' } as const;

/**
 * Handles the keys of a spreadsheet before AG Grid, which moves one cell at a time and knows no
 * ranges.
 * @returns a function that stops it.
 */
export function followKeys(
  root: HTMLElement,
  api: GridApi,
  selection: RangeSelection,
  commands: () => RangeCommands,
): () => void {
  /** Whether typing opened the editor, so that arrows end it. */
  let isTyped = false;
  /** Whether Tab leaves the grid: after Escape, and if it brought the focus from a header. */
  let isLeaving = false;

  const focusAt = (to: Position): void => {
    const id = rangeColumns(api)[to.column];
    if (id === undefined) return;
    selection.collapse(to);
    api.ensureColumnVisible(id);
    focusCell(api, to.row, id);
  };
  const extend = (head: Position): true => {
    selection.extend(head);
    const id = rangeColumns(api)[selection.current()?.head.column ?? head.column];
    if (head.row < api.getDisplayedRowCount()) api.ensureIndexVisible(head.row);
    if (id !== undefined) api.ensureColumnVisible(id);
    return true;
  };
  const select = (anchor: Position, head: Position): true => {
    selection.set({ anchor, head });
    return true;
  };

  const onEditingKey = (event: KeyboardEvent): boolean => {
    const at = focusedPosition(api);
    const { key, target } = event;
    if (!at) return false;
    if (isTakenByEditor(event)) return true;
    const bounds = boundsOf(api);
    const isText = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
    const isArrow = isTyped && isText && key.startsWith('Arrow') && !event.shiftKey;
    const isNewLine = key === 'Enter' && event.shiftKey && target instanceof HTMLTextAreaElement;
    if (isNewLine) {
      // The text area inserts a line.
      event.stopPropagation();
      return false;
    }
    let to: Position | undefined;
    if (key === 'Tab') to = tabbed(event.shiftKey, at, bounds);
    else if (key === 'Enter')
      to = moved(event.shiftKey ? 'ArrowUp' : 'ArrowDown', false, at, bounds);
    else if (isArrow) to = moved(key, false, at, bounds);
    else return false;
    api.stopEditing();
    focusAt(to ?? at);
    return true;
  };

  const onEditingShortcut = (event: KeyboardEvent): boolean => {
    const action = undoActionOf(event);
    const key = event.key.toLowerCase();
    if (action) commands()[action]();
    else if (key === 'd') commands().fill('down');
    else if (key === 'r' && !event.shiftKey) commands().fill('right');
    else return false;
    return true;
  };

  const onCellKey = (event: KeyboardEvent): boolean => {
    const at = focusedPosition(api);
    const range = selection.current();
    const { key, shiftKey } = event;
    const isCtrl = event.ctrlKey || event.metaKey;
    if (!at) return false;
    const bounds = boundsOf(api);
    const last = { row: bounds.rows - 1, column: bounds.columns - 1 };
    const isLeavingNow = isLeaving && key === 'Tab';
    isLeaving = key === 'Escape' || (isLeaving && key === 'Shift');
    if (isLeavingNow) return false;
    isTyped = key.length === 1 && !isCtrl && !event.altKey;
    if (event.altKey) return false;
    if (isCtrl && key.toLowerCase() === 'a') return select({ row: 0, column: 0 }, last);
    if (isCtrl && key.toLowerCase() === 'f') {
      commands().focusSearch();
      return true;
    }
    if (isCtrl && key === 'Enter' && commands().openLink(at)) return true;
    if (key === ' ' && shiftKey)
      return select({ ...at, column: 0 }, { ...at, column: last.column });
    if (key === ' ' && isCtrl) return select({ ...at, row: 0 }, { ...at, row: last.row });
    if (key === 'Tab') {
      const to = tabbed(shiftKey, at, bounds);
      if (to) focusAt(to);
      return to !== undefined;
    }
    const columnId = rangeColumns(api)[at.column];
    const isBelow = key === 'ArrowDown' && !isCtrl && !shiftKey && at.row === last.row;
    if (isBelow && columnId !== undefined && api.getPinnedBottomRowCount() > 0) {
      api.setFocusedCell(0, columnId, 'bottom');
      return true;
    }
    if (shiftKey && key !== 'Enter') {
      const head = extended(key, isCtrl, range?.head ?? at, bounds);
      if (head) return extend(head);
    } else {
      const isToHeader = key === 'ArrowUp' && at.row === 0 && !isCtrl;
      const isToNumber = key === 'ArrowLeft' && at.column === 0 && !isCtrl;
      const to = moved(key, isCtrl, at, bounds);
      if (to && !isToHeader && !isToNumber) {
        focusAt(to);
        return true;
      }
    }
    if (key === 'Escape') {
      selection.collapse(at);
      return true;
    }
    if (key === 'Enter' && (shiftKey || !commands().mayEdit)) {
      const to = moved(shiftKey ? 'ArrowUp' : 'ArrowDown', false, at, bounds);
      if (to) focusAt(to);
      return true;
    }
    if (!commands().mayEdit) return false;
    if (isCtrl) return onEditingShortcut(event);
    const opensEditor = key.length === 1 || key === 'Enter' || key === 'F2';
    if (opensEditor && commands().reject(at)) return true;
    if (key === 'Delete' || key === 'Backspace') {
      commands().clear();
      return true;
    }
    if (key === ' ') {
      const colKey = rangeColumns(api)[at.column];
      const isDone = commands().toggle(at) || colKey === undefined;
      if (!isDone) api.startEditingCell({ rowIndex: at.row, colKey, key: ' ' });
      return true;
    }
    return false;
  };

  const onKey = (event: KeyboardEvent): void => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || api.isDestroyed()) return;
    const isEditing = api.getEditingCells().length > 0;
    if (target.closest('.ag-header')) isLeaving = event.key === 'Tab';
    if (!isEditing && !target.matches('.ag-cell')) return;
    if (isOfInputMethod(event)) {
      // The text that it makes arrives in a field.
      event.stopPropagation();
      return;
    }
    if (!(isEditing ? onEditingKey(event) : onCellKey(event))) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onOpened = (): void => {
    isTyped = false;
  };
  const isValueCell = (cell: Element): boolean =>
    commands().mayEdit && !NO_VALUES.has(cell.getAttribute('col-id') ?? '');
  const onText = (cell: Element, text: string): void => {
    const colKey = cell.getAttribute('col-id');
    if (colKey === null || api.isDestroyed()) return;
    const position = cellOf(api, cell)?.position;
    if (position && commands().reject(position)) return;
    isTyped = true;
    const row = position ? { rowIndex: position.row } : NEW_ROW;
    api.startEditingCell({ ...row, colKey, key: keyOfText(text) });
  };
  const stopTexts = followTexts(root, isValueCell, onText);
  root.addEventListener('keydown', onKey, { capture: true });
  root.addEventListener('dblclick', onOpened, { capture: true });
  return () => {
    stopTexts();
    root.removeEventListener('keydown', onKey, { capture: true });
    root.removeEventListener('dblclick', onOpened, { capture: true });
  };
}
