import { notifications } from '@mantine/notifications';
import type { GridApi } from 'ag-grid-community';
import { reloadDatagrid } from '../../datagrids/datagrid-calls';
import type { RowQuery } from '../../datagrids/row-query';
import { gridText } from '../../text/grid-text';
import type { KnownRow } from '../edits/row-edit';

/** Shows a row that was added: at the end of all rows, or a message if the view may not have it. */
export function showAddedRow(
  api: GridApi<KnownRow> | undefined,
  datagridId: string,
  { filter, sort, q }: RowQuery,
): void {
  void reloadDatagrid(datagridId);
  if (!api || api.isDestroyed()) return;
  api.refreshInfiniteCache();
  if (filter !== undefined || q !== undefined || sort !== undefined) {
    notifications.show({ message: gridText.newRow.addedElsewhere });
    return;
  }
  const rows = api.getDisplayedRowCount();
  api.setRowCount(rows + 1, true);
  api.ensureIndexVisible(rows);
}
