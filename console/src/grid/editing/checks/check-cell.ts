import type { ColDef, ICellRendererComp, ICellRendererParams } from 'ag-grid-community';
import { gridText } from '../../../text/grid-text';
import type { KnownRow } from '../../cells/known-row';
import { CHECK_COLUMN_ID } from '../../table/columns/column-ids';
import { CheckHeader } from './check-header';
import type { RowChecks } from './row-checks';

type Params = ICellRendererParams<KnownRow, boolean>;

/** Class of the checkbox of a row, which `follow-checks.ts` follows. */
export const CHECKBOX_CLASS = 'row-check';

/** Class of the elements of a checked row. */
export const CHECKED_CLASS = 'row-checked';

/** Draws the checkbox of a row. It is not a React component, so that scrolling stays fast. */
class CheckCell implements ICellRendererComp<KnownRow> {
  private readonly box = document.createElement('input');

  init(params: Params): void {
    this.box.type = 'checkbox';
    this.box.tabIndex = -1;
    this.box.className = CHECKBOX_CLASS;
    this.refresh(params);
  }

  getGui(): HTMLElement {
    return this.box;
  }

  refresh({ value, data, node }: Params): boolean {
    this.box.hidden = data === undefined || node.rowPinned != null;
    this.box.checked = value === true;
    this.box.setAttribute('aria-label', gridText.checks.row((node.rowIndex ?? 0) + 1));
    return true;
  }
}

/** Returns the column of the checkboxes. */
export function checkColumn(checks: RowChecks, isPhone: boolean): ColDef<KnownRow> {
  return {
    colId: CHECK_COLUMN_ID,
    headerName: gridText.checks.all,
    headerComponent: CheckHeader,
    headerComponentParams: { checks },
    pinned: 'left',
    lockPosition: 'left',
    width: isPhone ? 30 : 44,
    minWidth: 30,
    resizable: false,
    cellClass: 'row-check-cell',
    valueGetter: ({ data }) => data !== undefined && checks.has(data.id),
    cellRenderer: CheckCell,
  };
}
