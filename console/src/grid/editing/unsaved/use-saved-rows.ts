import type { GridApi } from 'ag-grid-community';
import { useEffect } from 'react';
import type { Datagrid } from '../../../datagrids/datagrid';
import { withComputed } from '../../../datagrids/stored-columns';
import type { KnownRow } from '../../cells/known-row';
import type { LinkTitles } from '../../cells/links/link-titles';
import type { LiveRows } from '../../data/changes/live-rows';
import type { EditStore } from './edit-store';

export interface SavedRowsInput {
  readonly api: GridApi<KnownRow> | undefined;
  readonly edits: EditStore;
  readonly live: LiveRows;
  readonly titles: LinkTitles;
  readonly datagrid: Pick<Datagrid, 'id' | 'columns'>;
}

/** Shows saved rows and the states of edits in the grid. */
export function useSavedRows({ api, edits, live, titles, datagrid }: SavedRowsInput): void {
  useEffect(
    () =>
      edits.subscribe((rowId, saved) => {
        const node = api?.getRowNode(String(rowId));
        if (node && saved) {
          if (node.data) live.save(node.data, saved);
          const values = withComputed(datagrid.columns, node.data?.values, saved.values);
          titles.update(datagrid.id, saved);
          node.setData({ ...saved, values });
        }
        if (node) api?.refreshCells({ rowNodes: [node], force: true });
        // The feed may have brought the saved row before. Now the grid knows it, so it is not news.
        live.resume();
      }),
    [api, edits, live, titles, datagrid.id, datagrid.columns],
  );
}
