import type {
  CellClassParams,
  ColDef,
  SuppressKeyboardEventParams,
  ValueGetterParams,
} from 'ag-grid-community';
import { isNumeric, type Column } from '../../datagrids/datagrid';
import { EditedCell } from '../cells/edited-cell';
import { isLongText, ValueEditor } from '../cells/value-editor';
import type { EditStore } from '../edits/edit-store';
import type { CellState, KnownRow } from '../edits/row-edit';
import { editableValue, shownTyped } from '../values/shown-value';
import { moveByKey } from './grid-keys';
import { ColumnHeader } from './column-header';

type Params = ValueGetterParams<KnownRow>;

/** Shows a row's place in the grid's own order, counted from 1. */
export const NUMBER_COLUMN: ColDef<KnownRow> = {
  colId: ':number',
  headerName: 'Row',
  pinned: 'left',
  width: 84,
  minWidth: 60,
  resizable: false,
  cellClass: 'row-number',
  valueGetter: ({ node }: Params) =>
    node?.rowIndex == null ? '' : (node.rowIndex + 1).toLocaleString(),
  suppressKeyboardEvent: (parameters) => moveByKey(parameters),
};

/** The API's own name of a row. */
export const ID_COLUMN: ColDef<KnownRow> = {
  colId: ':id',
  headerName: 'Id',
  width: 90,
  cellClass: 'row-number',
  valueGetter: ({ data }: Params) => data?.id ?? '',
  suppressKeyboardEvent: (parameters) => moveByKey(parameters),
};

/** How one column is shown and edited. Its values are texts: no number goes through the grid. */
export function valueColumn(column: Column, edits: EditStore, mayEdit: boolean): ColDef<KnownRow> {
  const { key } = column;
  return {
    colId: key,
    headerName: column.title,
    headerComponent: ColumnHeader,
    headerComponentParams: { of: column },
    width: widthOf(column),
    minWidth: 80,
    valueGetter: ({ data }: Params) =>
      data && (edits.cell(data.id, key)?.typed ?? editableValue(column, data.values[key])),
    valueFormatter: ({ value }) => (typeof value === 'string' ? shownTyped(column, value) : ''),
    valueSetter: ({ data, newValue }) => {
      edits.type(data, key, typeof newValue === 'string' ? newValue : '');
      return true;
    },
    cellClass: isNumeric(column.type) ? 'cell-number' : 'cell-text',
    cellClassRules: {
      'cell-loading': ({ data }) => data === undefined,
      ...Object.fromEntries(
        STATES.map((state) => [
          `cell-${state}`,
          ({ data }: CellClassParams<KnownRow>) =>
            data !== undefined && edits.cell(data.id, key)?.state === state,
        ]),
      ),
    },
    cellRendererSelector: ({ data }) => {
      const edit = data && edits.cell(data.id, key);
      return edit && { component: EditedCell, params: { edit } };
    },
    editable: ({ data }) => mayEdit && data !== undefined,
    cellEditor: ValueEditor,
    cellEditorSelector: ({ value }) => ({
      component: ValueEditor,
      params: { of: column },
      popup: isLongText(column, typeof value === 'string' ? value : ''),
      popupPosition: 'over',
    }),
    suppressKeyboardEvent: suppressed,
  };
}

/** Shift and Enter make a new line in a text that is being edited. */
function suppressed(parameters: SuppressKeyboardEventParams<KnownRow>): boolean {
  const { event, editing } = parameters;
  if (editing) return event.key === 'Enter' && event.shiftKey;
  return moveByKey(parameters);
}

const STATES: readonly CellState[] = ['waiting', 'saving', 'unsaved', 'refused', 'conflict'];

/** Pixels for values of the type and for the title beside its button. */
function widthOf({ type, title }: Column): number {
  const isShort = isNumeric(type) || type === 'boolean' || type === 'date';
  const isLong = type === 'text' || type === 'json' || type === 'url';
  return Math.max(isShort ? 130 : isLong ? 240 : 200, Math.min(300, title.length * 8 + 80));
}
