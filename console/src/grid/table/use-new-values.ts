import type { GridApi } from 'ag-grid-community';
import { useEffect, useRef } from 'react';
import { isReadOnly } from '../../datagrids/column-type';
import type { Column } from '../../datagrids/datagrid';
import type { LiveRows } from '../data/changes/live-rows';

/**
 * Loads the rows again after columns have got values that the loaded rows lack: columns whose values
 * the service sets or computes, and columns with another key.
 */
export function useNewValues(
  api: GridApi | undefined,
  columns: readonly Column[],
  live: LiveRows,
): void {
  const keys = columns
    .filter(({ type, previousKeys }) => isReadOnly(type) || previousKeys !== undefined)
    .map(({ key }) => key)
    .join(' ');
  const loaded = useRef(keys);
  useEffect(() => {
    if (!api || loaded.current === keys) return;
    loaded.current = keys;
    live.reload();
    api.refreshInfiniteCache();
  }, [api, live, keys]);
}
