import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { GridApi } from 'ag-grid-community';
import { reloadDatagrid } from '../../../datagrids/datagrid-calls';
import type { RowQuery } from '../../../datagrids/row-query';
import { gridText } from '../../../text/grid-text';
import type { KnownRow } from '../../cells/known-row';

const t = gridText.newRow;

/**
 * Shows a row that was added: at the end of all rows, or a message if the view may not have it there.
 * @param showAll Removes the filter, the search, the sort order, the groups and the colors.
 */
export function showAddedRow(
  api: GridApi<KnownRow> | undefined,
  datagridId: string,
  { filter, sort, q }: RowQuery,
  showAll: () => void,
): void {
  void reloadDatagrid(datagridId);
  if (!api || api.isDestroyed()) return;
  api.refreshInfiniteCache();
  if (filter !== undefined || q !== undefined || sort !== undefined) {
    const id = notifications.show({
      message: (
        <Group justify="space-between" wrap="nowrap">
          {t.addedElsewhere}
          <Button
            size="compact-sm"
            variant="default"
            flex="none"
            onClick={() => {
              notifications.hide(id);
              showAll();
            }}
          >
            {t.showAdded}
          </Button>
        </Group>
      ),
    });
    return;
  }
  const rows = api.getDisplayedRowCount();
  api.setRowCount(rows + 1, true);
  api.ensureIndexVisible(rows);
}
