import { createContext, useContext, useMemo } from 'react';
import type { Layout } from '../views/layout';
import type { GridView, SortDirection } from '../filter/grid-view';

/** Actions of a column header. */
export interface GridActions {
  readonly view: GridView;
  readonly show: (view: GridView) => void;
  /** @param isMore Adds the column to the current sort order. */
  readonly sortBy: (key: string, direction: SortDirection, isMore: boolean) => void;
  readonly filterBy: (key: string) => void;
  /** All columns in the order of display. */
  readonly layout: Layout;
  readonly arrange: (layout: Layout) => void;
  /** Opens the dialog that changes a column. Undefined for users without permission to change it. */
  readonly changeColumn?: ((key: string) => void) | undefined;
  /** Asks for confirmation to remove a column, for users with that permission. */
  readonly removeColumn?: ((key: string) => void) | undefined;
  /** Opens the form for new columns, for users with that permission. */
  readonly addColumns?: (() => void) | undefined;
  /** Datagrid whose columns the user may change. */
  readonly columnsOf?: string | undefined;
}

/** A dialog about one column. */
export interface ColumnDialogOf {
  readonly kind: 'filter' | 'change-column' | 'remove-column';
  readonly startWith: string;
}

type Arranging = Pick<GridActions, 'view' | 'show' | 'sortBy' | 'layout' | 'arrange'>;

/**
 * Returns the actions of the column headers.
 * @param columnsOf Datagrid whose columns the user may change; undefined if they may not.
 */
export function useHeaderActions(
  { view, show, sortBy, layout, arrange }: Arranging,
  columnsOf: string | undefined,
  open: (dialog: ColumnDialogOf) => void,
  setAdding: (isAdding: boolean) => void,
): GridActions {
  return useMemo(() => {
    const openFor = (kind: ColumnDialogOf['kind']) => (key: string) => {
      open({ kind, startWith: key });
    };
    const mayChange = columnsOf !== undefined;
    return {
      ...{ view, show, sortBy, layout, arrange, columnsOf },
      filterBy: openFor('filter'),
      changeColumn: mayChange ? openFor('change-column') : undefined,
      removeColumn: mayChange ? openFor('remove-column') : undefined,
      addColumns: mayChange
        ? () => {
            setAdding(true);
          }
        : undefined,
    };
  }, [view, show, sortBy, layout, arrange, columnsOf, open, setAdding]);
}

export const GridActionsContext = createContext<GridActions | undefined>(undefined);

export function useGridActions(): GridActions {
  const actions = useContext(GridActionsContext);
  if (!actions) throw new Error('This component must be inside a grid.');
  return actions;
}
