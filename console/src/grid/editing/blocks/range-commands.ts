import { notifications } from '@mantine/notifications';
import type { GridApi } from 'ag-grid-community';
import { isReadOnly } from '../../../datagrids/column-type';
import type { Column } from '../../../datagrids/datagrid';
import { datagridAddress } from '../../../datagrids/datagrid-link';
import { gridText } from '../../../text/grid-text';
import type { KnownRow } from '../../cells/known-row';
import { linkedIds } from '../../cells/links/linked-ids';
import { editableValue } from '../../cells/values/shown-value';
import type { Position } from '../../table/ranges/cell-range';
import { rangeColumns } from '../../table/ranges/grid-positions';
import type { RangeCommands } from '../../table/ranges/range-keys';
import type { RangeSelection } from '../../table/ranges/range-selection';
import type { EditStore } from '../unsaved/edit-store';
import type { Blocks } from './use-blocks';

export interface CommandContext {
  readonly api: GridApi<KnownRow> | undefined;
  readonly edits: EditStore;
  readonly columns: readonly Column[];
  readonly mayEdit: boolean;
  readonly selection: RangeSelection;
  /** Opens a page of the console. */
  readonly open: (address: string) => void;
  readonly blocks: Pick<Blocks, 'clear' | 'undo' | 'redo' | 'fill' | 'fillTo' | 'fillDown'>;
}

/** Returns the commands on the selected cells of a grid. */
export function rangeCommands({
  api,
  edits,
  columns,
  mayEdit,
  selection,
  blocks,
  open,
}: CommandContext): RangeCommands {
  const columnAt = (index: number): Column | undefined => {
    const id = api && rangeColumns(api)[index];
    return columns.find(({ key }) => key === id);
  };
  const reject = (column: Column | undefined): boolean => {
    if (!column || !isReadOnly(column.type)) return false;
    // The same id shows one message, however many keys are typed.
    notifications.show({ id: 'read-only-cell', message: gridText.paste.readOnly });
    return true;
  };
  return {
    mayEdit,
    reject: ({ column }: Position) => reject(columnAt(column)),
    clear: () => {
      const box = selection.box();
      const column = box && columnAt(box.left);
      const data = box && api?.getDisplayedRowAtIndex(box.top)?.data;
      const isOne = box?.top === box?.bottom && box?.left === box?.right;
      // The edit of one cell is kept and retried if the server is unavailable.
      if (!isOne) blocks.clear();
      else if (column && data && !reject(column) && typedIn(edits, column, data) !== '') {
        edits.type(data, column.key, '');
      }
    },
    undo: blocks.undo,
    redo: blocks.redo,
    fill: blocks.fill,
    fillTo: blocks.fillTo,
    fillDown: blocks.fillDown,
    toggle: ({ row, column: at }: Position) => {
      const column = columnAt(at);
      const data = api?.getDisplayedRowAtIndex(row)?.data;
      if (column?.type !== 'boolean') return false;
      if (data) {
        const isOn = typedIn(edits, column, data) === 'true';
        edits.type(data, column.key, isOn ? 'false' : 'true');
      }
      return true;
    },
    openLink: ({ row, column: at }: Position) => {
      const column = columnAt(at);
      const data = api?.getDisplayedRowAtIndex(row)?.data;
      const { datagridId } = column?.options ?? {};
      if (!column || !data || datagridId === undefined) return false;
      const [id] = linkedIds(column, typedIn(edits, column, data));
      if (id !== undefined) open(datagridAddress(datagridId, id));
      return true;
    },
    focusSearch: () => {
      document.querySelector<HTMLInputElement>('[role="search"] input')?.focus();
    },
  };
}

function typedIn(edits: EditStore, column: Column, row: KnownRow): string {
  return edits.cell(row.id, column.key)?.typed ?? editableValue(column, row.values[column.key]);
}
