import type { GridApi } from 'ag-grid-community';
import { useEffect, useEffectEvent, type RefObject } from 'react';
import { ID_COLUMN_ID } from '../columns/column-ids';
import { isSamePosition, withoutIds } from './cell-range';
import { drawRange } from './draw-range';
import { followFillHandle } from './fill-handle';
import { focusedPosition, rangeColumns } from './grid-positions';
import { followKeys, type RangeCommands } from './range-keys';
import { followMouse } from './range-mouse';
import type { RangeSelection } from './range-selection';

/** Lets users select ranges of cells in a grid. */
export function useRanges(
  root: RefObject<HTMLElement | null>,
  api: GridApi | undefined,
  selection: RangeSelection,
  commands: () => RangeCommands,
): void {
  const current = useEffectEvent(commands);
  useEffect(() => {
    const element = root.current;
    if (!api || !element) return undefined;
    selection.limitTo((range) => {
      const ids = rangeColumns(api).indexOf(ID_COLUMN_ID);
      return ids < 0 ? range : withoutIds(range, ids);
    });
    const onFocused = (): void => {
      const at = focusedPosition(api);
      const anchor = selection.current()?.anchor;
      if (at && (!anchor || !isSamePosition(at, anchor))) selection.collapse(at);
    };
    api.addEventListener('cellFocused', onFocused);
    const stops = [
      drawRange(element, api, selection),
      followFillHandle(element, api, selection, () => current()),
      followMouse(element, api, selection),
      followKeys(element, api, selection, () => current()),
      () => {
        if (!api.isDestroyed()) api.removeEventListener('cellFocused', onFocused);
      },
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [api, root, selection]);
}
