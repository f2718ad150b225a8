import type { GridApi, IRowNode } from 'ag-grid-community';
import { useCallback, useSyncExternalStore } from 'react';
import type { KnownRow } from '../cells/known-row';

/** Returns the row at an index of the grid; `undefined` until it is loaded. */
export function useRowAt(api: GridApi<KnownRow>, index: number): KnownRow | undefined {
  const subscribe = useCallback(
    (listener: () => void) => {
      let node: IRowNode<KnownRow> | undefined;
      const follow = (): void => {
        const next = api.getDisplayedRowAtIndex(index);
        if (next !== node) {
          node?.removeEventListener('dataChanged', listener);
          node = next;
          node?.addEventListener('dataChanged', listener);
        }
        listener();
      };
      follow();
      api.addEventListener('modelUpdated', follow);
      return () => {
        node?.removeEventListener('dataChanged', listener);
        if (!api.isDestroyed()) api.removeEventListener('modelUpdated', follow);
      };
    },
    [api, index],
  );
  return useSyncExternalStore(subscribe, () => api.getDisplayedRowAtIndex(index)?.data);
}
