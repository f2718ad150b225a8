import type { GridApi } from 'ag-grid-community';
import { useEffect, useMemo } from 'react';
import { useNavigate } from 'react-router';
import { isLink } from '../../../datagrids/column-type';
import type { Column } from '../../../datagrids/datagrid';
import type { KnownRow } from '../known-row';
import type { LinkCellContext } from './link-chips';
import { useTitleStore } from './link-context';

/** Draws the cells of links again when the titles of linked rows change, once for each frame. */
export function useLinkCells(
  api: GridApi<KnownRow> | undefined,
  columns: readonly Column[],
): LinkCellContext {
  const titles = useTitleStore();
  const navigate = useNavigate();
  useEffect(() => {
    const keys = columns.filter(({ type }) => isLink(type)).map(({ key }) => key);
    if (!api || keys.length === 0) return undefined;
    let frame: number | undefined;
    const stop = titles.subscribe(() => {
      frame ??= requestAnimationFrame(() => {
        frame = undefined;
        if (!api.isDestroyed()) api.refreshCells({ columns: keys, force: true });
      });
    });
    return () => {
      stop();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [api, columns, titles]);
  return useMemo(
    () => ({ titles, open: (address: string) => void navigate(address) }),
    [titles, navigate],
  );
}
