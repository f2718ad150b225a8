import { createContext, useContext } from 'react';
import type { GridView, SortDirection } from '../filter/grid-view';

/** What a column's header can do to the screen. */
export interface GridActions {
  readonly view: GridView;
  /** @param isMore Beside the columns that it is sorted by already. */
  readonly sortBy: (key: string, direction: SortDirection, isMore: boolean) => void;
  readonly filterBy: (key: string) => void;
  /** Opens the list of all columns. Absent for those who may not change them. */
  readonly openColumns?: (() => void) | undefined;
}

export const GridActionsContext = createContext<GridActions | undefined>(undefined);

export function useGridActions(): GridActions {
  const actions = useContext(GridActionsContext);
  if (!actions) throw new Error('This part belongs into a grid.');
  return actions;
}
