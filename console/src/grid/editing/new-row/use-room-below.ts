import type { GridApi } from 'ag-grid-community';
import { useEffect, type RefObject } from 'react';
import { HEADER_HEIGHT, ROW_HEIGHT } from '../../table/grid-theme';

/** Events after which there are more or fewer rows, or more or less space for them. */
const EVENTS = ['modelUpdated', 'gridSizeChanged', 'pinnedRowDataChanged'] as const;

/** Height of a message with its distance to the last line. */
const MESSAGE_HEIGHT = 64;

/** The header and the last line have a border of one pixel. */
const BORDERS = 2;

/**
 * Measures the space below the last line, which follows the last row: `--room-below` has its height,
 * and `data-room` says that messages fit there. They do not cover the line.
 */
export function useRoomBelow(root: RefObject<HTMLElement | null>, api: GridApi | undefined): void {
  useEffect(() => {
    const area = root.current?.closest<HTMLElement>('.grid-area');
    if (!area || !api) return;
    let shown: number | undefined;
    const measure = (): void => {
      const view = root.current?.querySelector('.ag-grid-viewport');
      if (!view || api.isDestroyed()) return;
      const lines = api.getDisplayedRowCount() + api.getPinnedBottomRowCount();
      const content = HEADER_HEIGHT + lines * ROW_HEIGHT + BORDERS;
      // Reading the height forces a layout of the grid, so it is read only if the rows may fit.
      const mayFit = api.getPinnedBottomRowCount() > 0 && content < window.innerHeight;
      const room = mayFit ? Math.max(0, view.clientHeight - content) : 0;
      if (room === shown) return;
      shown = room;
      area.style.setProperty('--room-below', `${String(room)}px`);
      area.toggleAttribute('data-room', room >= MESSAGE_HEIGHT);
    };
    measure();
    for (const event of EVENTS) api.addEventListener(event, measure);
    return () => {
      if (api.isDestroyed()) return;
      for (const event of EVENTS) api.removeEventListener(event, measure);
    };
  }, [root, api]);
}
