import type { BodyScrollEvent, Column, GridApi } from 'ag-grid-community';
import { useEffect, useState } from 'react';

/** Where a column is in its part of the grid, in pixels. */
export interface ColumnPlace {
  readonly key: string;
  readonly left: number;
  readonly width: number;
}

/** The parts of a grid, of which only the one in the middle scrolls. */
export interface ColumnPlaces {
  readonly left: readonly ColumnPlace[];
  readonly middle: readonly ColumnPlace[];
  readonly right: readonly ColumnPlace[];
  /** Pixels by which the middle is scrolled. */
  readonly scrolled: number;
}

const NO_PLACES: ColumnPlaces = { left: [], middle: [], right: [], scrolled: 0 };

/** Events after which columns are elsewhere. */
const MOVES = [
  'columnResized',
  'columnMoved',
  'displayedColumnsChanged',
  'gridSizeChanged',
] as const;

/** Returns the places of the displayed columns, and follows them. */
export function useColumnPlaces(api: GridApi | undefined): ColumnPlaces {
  const [places, setPlaces] = useState(NO_PLACES);
  useEffect(() => {
    if (!api) return undefined;
    const follow = (): void => {
      setPlaces(placesIn(api));
    };
    const onScroll = ({ direction }: BodyScrollEvent): void => {
      if (direction === 'horizontal') follow();
    };
    follow();
    for (const event of MOVES) api.addEventListener(event, follow);
    api.addEventListener('bodyScroll', onScroll);
    return () => {
      if (api.isDestroyed()) return;
      for (const event of MOVES) api.removeEventListener(event, follow);
      api.removeEventListener('bodyScroll', onScroll);
    };
  }, [api]);
  return places;
}

function placesIn(api: GridApi): ColumnPlaces {
  return {
    left: api.getDisplayedLeftColumns().map(placeOf),
    middle: api.getDisplayedCenterColumns().map(placeOf),
    right: api.getDisplayedRightColumns().map(placeOf),
    scrolled: api.getHorizontalPixelRange().left,
  };
}

function placeOf(column: Column): ColumnPlace {
  return { key: column.getColId(), left: column.getLeft() ?? 0, width: column.getActualWidth() };
}
