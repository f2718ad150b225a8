import type { ColDef, ICellRendererComp, ICellRendererParams } from 'ag-grid-community';
import { gridText } from '../../text/grid-text';
import type { KnownRow } from '../cells/known-row';
import { numberColumn } from '../table/column-defs';

type Params = ICellRendererParams<KnownRow> & { readonly onOpen: (index: number) => void };

/** Draws the number of a row as a button that opens the row as a card. */
class OpenCell implements ICellRendererComp<KnownRow> {
  private readonly root = document.createElement('span');

  init(params: Params): void {
    this.refresh(params);
  }

  getGui(): HTMLElement {
    return this.root;
  }

  refresh({ value, data, node, onOpen }: Params): boolean {
    const { rowIndex } = node;
    if (!data || node.rowPinned || rowIndex === null) {
      this.root.replaceChildren(node.rowPinned ? gridText.table.newRowShort : String(value ?? ''));
      return true;
    }
    const button = document.createElement('button');
    button.type = 'button';
    button.tabIndex = -1;
    button.className = 'row-open';
    button.textContent = String(value);
    button.setAttribute('aria-label', gridText.card.open(rowIndex + 1));
    button.addEventListener('click', () => {
      onOpen(rowIndex);
    });
    this.root.replaceChildren(button);
    return true;
  }
}

/** Returns the column of the row numbers for a phone, whose cells open the rows. */
export function openColumn(onOpen: (index: number) => void): ColDef<KnownRow> {
  return {
    ...numberColumn(0),
    headerName: gridText.table.numberShort,
    width: 38,
    minWidth: 38,
    cellRenderer: OpenCell,
    cellRendererParams: { onOpen },
  };
}
