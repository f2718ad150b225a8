import type { CellClassRules, ColDef, ValueGetterParams } from 'ag-grid-community';
import { COLUMN_TYPES, isAuthor, isReadOnly } from '../../datagrids/column-type';
import type { Column } from '../../datagrids/datagrid';
import { gridText } from '../../text/grid-text';
import { EditedCell } from '../cells/grid-cell/edited-cell';
import { isDrawn, ValueCell } from '../cells/grid-cell/value-cell';
import { isLarge, ValueEditor } from '../cells/grid-cell/value-editor';
import type { KnownRow } from '../cells/known-row';
import type { LinkCellContext } from '../cells/links/link-chips';
import { titledTyped } from '../cells/links/links-as-text';
import type { CellInputs } from '../cells/cell-edit';
import { editableValue, shownValue } from '../cells/values/shown-value';
import { unlocalized } from '../cells/values/unlocalized';
import { ID_COLUMN_ID, NUMBER_COLUMN_ID } from './columns/column-ids';
import { ColumnHeader } from './header/column-header';
import { IdHeader } from './header/id-header';
import { numberWidth } from './number-width';

/** Properties of all columns. */
export const DEFAULT_COLUMN: ColDef<KnownRow> = { sortable: false, resizable: true };

type Params = ValueGetterParams<KnownRow>;

/** Returns the column with the position of a row in the current order, from 1. */
export function numberColumn(rowCount: number): ColDef<KnownRow> {
  return { ...NUMBER_COLUMN, width: numberWidth(rowCount) };
}

const NUMBER_COLUMN: ColDef<KnownRow> = {
  colId: NUMBER_COLUMN_ID,
  headerName: gridText.table.number,
  pinned: 'left',
  lockPosition: 'left',
  minWidth: 60,
  resizable: false,
  cellClass: 'row-number',
  valueGetter: ({ node }: Params) => {
    if (node?.rowPinned) return gridText.table.newRow;
    return node?.rowIndex == null ? '' : (node.rowIndex + 1).toLocaleString();
  },
};

/** Column with the id of a row. */
export const ID_COLUMN: ColDef<KnownRow> = {
  colId: ID_COLUMN_ID,
  headerName: gridText.columns.id,
  headerComponent: IdHeader,
  lockPosition: 'right',
  width: 90,
  cellClass: 'row-number',
  valueGetter: ({ data, node }: Params) => (node?.rowPinned ? '' : (data?.id ?? '')),
};

/** How a column is shown. */
export interface ValueColumnOptions {
  readonly mayEdit: boolean;
  readonly isPhone: boolean;
  readonly links: LinkCellContext;
  /** Names of users and keys, by id. */
  readonly authors: ReadonlyMap<string, string>;
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/**
 * Returns the definition of a column for display and editing. Its values are strings, so that
 * numbers keep all digits.
 */
export function valueColumn(
  column: Column,
  edits: CellInputs,
  { mayEdit, isPhone, links, authors }: ValueColumnOptions,
): ColDef<KnownRow> {
  const { key } = column;
  const names = isAuthor(column.type) ? authors : NO_NAMES;
  const { isNumeric } = COLUMN_TYPES[column.type];
  return {
    colId: key,
    headerName: column.title,
    headerComponent: ColumnHeader,
    headerComponentParams: { of: column },
    headerClass: isNumeric ? 'header-number' : '',
    width: widthOf(column, isPhone ? PHONE_WIDTHS : WIDTHS),
    minWidth: 80,
    valueGetter: ({ data }: Params) =>
      data && (edits.cell(data.id, key)?.typed ?? editableValue(column, data.values[key])),
    valueFormatter: ({ value, data }) => {
      if (column.source) return shownValue(column, data?.values[key]);
      return typeof value === 'string'
        ? (names.get(value) ?? titledTyped(column, value, links.titles))
        : '';
    },
    valueSetter: ({ data, newValue }) => {
      edits.type(data, key, unlocalized(column, typeof newValue === 'string' ? newValue : ''));
      return true;
    },
    cellClass: isNumeric ? 'cell-number' : 'cell-text',
    // Each rule costs time in each cell. `EditedCell` sets the classes of edited cells.
    cellClassRules: LOADING_RULE,
    cellRendererSelector: ({ data }) => {
      const edit = data && edits.cell(data.id, key);
      if (edit) return { component: EditedCell, params: { edit } };
      if (!data || !isDrawn(column.type)) return undefined;
      return { component: ValueCell, params: { of: column, mayEdit, links } };
    },
    editable: ({ data }) => mayEdit && data !== undefined && !isReadOnly(column.type),
    cellEditor: ValueEditor,
    cellEditorSelector: ({ value }) => ({
      component: ValueEditor,
      params: { of: column },
      popup: isLarge(column, typeof value === 'string' ? value : ''),
      popupPosition: 'over',
    }),
  };
}

const LOADING_RULE: CellClassRules<KnownRow> = {
  'cell-loading': ({ data }) => data === undefined,
};

/** Widths in pixels: for values by type, and of a header without its title. */
const WIDTHS = { short: 130, medium: 170, long: 200, time: 244, header: 92, maxForTitle: 300 };

/** On a phone, cells have less padding, and headers no icon. Three columns of values fit. */
const PHONE_WIDTHS = {
  short: 86,
  medium: 86,
  long: 140,
  time: 150,
  header: 22,
  maxForTitle: 86,
};

/** Returns the width in pixels for values of the type, and for the title with its button. */
function widthOf({ type, title }: Column, widths: typeof WIDTHS): number {
  const forTitle = Math.min(widths.maxForTitle, title.length * 8 + widths.header);
  return Math.max(widths[COLUMN_TYPES[type].width], forTitle);
}
