import { notifications } from '@mantine/notifications';
import type { GridApi } from 'ag-grid-community';
import { useEffect, useEffectEvent } from 'react';
import { useSearchParams } from 'react-router';
import { isApiError, messageOf } from '../../../api/api-error';
import { dataRequest } from '../../../api/data';
import { datagridPath } from '../../../datagrids/datagrid-calls';
import { ROW_PARAMETER } from '../../../datagrids/datagrid-link';
import { linksText } from '../../../text/links-text';
import type { KnownRow } from '../../cells/known-row';
import { isRowId } from '../../cells/links/linked-ids';
import { rowIndex } from '../../data/loading/row-index';
import { focusRow } from './focus-cell';

/**
 * Opens the row whose id is in the address as a card, and removes the id from the address, so that the
 * same link works again.
 */
export function useRowOfAddress(
  datagridId: string,
  api: GridApi<KnownRow> | undefined,
  open: (index: number) => void,
): void {
  const [search, setSearch] = useSearchParams();
  const id = search.get(ROW_PARAMETER);
  // The order of other addresses is that of their sort order.
  const isPlain = search.size === 1;
  const onRow = useEffectEvent(async (grid: GridApi<KnownRow>, rowId: string) => {
    const index = await findRow(datagridId, grid, rowId, isPlain);
    if (grid.isDestroyed()) return;
    const rest = new URLSearchParams(search);
    rest.delete(ROW_PARAMETER);
    setSearch(rest, { replace: true });
    if (index === undefined) return;
    focusRow(grid, index);
    open(index);
  });
  useEffect(() => {
    if (api && id !== null) void onRow(api, id);
  }, [api, id]);
}

/** Returns the position of a row. If there is none, a message says why. */
async function findRow(
  datagridId: string,
  api: GridApi<KnownRow>,
  id: string,
  isPlain: boolean,
): Promise<number | undefined> {
  try {
    if (isRowId(id)) {
      await dataRequest('GET', `${datagridPath(datagridId)}/rows/${id}`);
      const index = await rowIndex(Number(id), datagridId, api, isPlain);
      if (index !== undefined) return index;
    }
    notifications.show({ color: 'red', message: linksText.row.missing(id) });
  } catch (error) {
    const isMissing = isApiError(error) && error.status === 404;
    const message = isMissing ? linksText.row.missing(id) : messageOf(error);
    notifications.show({ color: 'red', message });
  }
  return undefined;
}
