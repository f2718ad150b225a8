import type { GridApi } from 'ag-grid-community';
import { useEffect, useState } from 'react';
import type { Datagrid } from '../../../datagrids/datagrid';
import type { KnownRow } from '../../cells/known-row';
import { useTitleStore } from '../../cells/links/link-context';
import { followChanges } from './change-feed';
import { SHOWN_MS } from './last-shown';
import { LiveRows } from './live-rows';

/** Changed cells are marked for as long as their author is named. */
const FLASH = { flashDuration: SHOWN_MS - 1_000, fadeDuration: 1_000 };

/** The rows with unsaved edits. */
interface EditedRows {
  readonly all: () => readonly { readonly base: KnownRow }[];
}

/** Follows the changes of a datagrid while its rows are on the screen. */
export function useLiveRows(
  { id: datagridId, columns }: Pick<Datagrid, 'id' | 'columns'>,
  api: GridApi<KnownRow> | undefined,
  edits: EditedRows,
  isPlain: boolean,
): LiveRows {
  const [live] = useState(() => new LiveRows());
  const titles = useTitleStore();
  useEffect(() => {
    live.setPlain(isPlain);
  }, [live, isPlain]);
  useEffect(() => {
    live.setColumns(columns);
  }, [live, columns]);
  useEffect(() => {
    if (!api) return;
    live.attach({
      find: (rowId) => api.getRowNode(String(rowId))?.data,
      isEdited: (rowId) =>
        edits.all().some(({ base }) => base.id === rowId) || hasOpenEditor(api, rowId),
      update: (row, keys) => {
        const node = api.getRowNode(String(row.id));
        node?.setData(row);
        titles.update(datagridId, row);
        if (node) api.flashCells({ rowNodes: [node], columns: [...keys], ...FLASH });
      },
    });
  }, [live, api, edits, titles, datagridId]);
  useEffect(() => {
    const abort = new AbortController();
    const events = { onItems: live.take, onSkipped: live.skip };
    void followChanges(datagridId, events, abort.signal);
    return () => {
      abort.abort();
    };
  }, [live, datagridId]);
  return live;
}

function hasOpenEditor(api: GridApi<KnownRow>, rowId: number): boolean {
  return api
    .getEditingCells()
    .some(({ rowIndex }) => api.getDisplayedRowAtIndex(rowIndex)?.data?.id === rowId);
}
