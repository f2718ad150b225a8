import { createContext, useContext, useMemo, type ReactNode } from 'react';
import { ColumnsOf } from '../../cells/choices/columns-of';
import type { GridView, SortDirection } from '../../query/filter/grid-view';
import type { Layout } from '../columns/layout';

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
}

/** A dialog about one column. */
export interface ColumnDialogOf {
  readonly kind: 'filter' | 'change-column' | 'remove-column';
  readonly startWith: string;
}

type Arranging = Pick<GridActions, 'view' | 'show' | 'sortBy' | 'layout' | 'arrange'>;

/**
 * Returns the actions of the column headers.
 * @param mayChange Whether the user may change columns.
 */
export function useHeaderActions(
  { view, show, sortBy, layout, arrange }: Arranging,
  mayChange: boolean,
  open: (dialog: ColumnDialogOf) => void,
  setAdding: (isAdding: boolean) => void,
): GridActions {
  return useMemo(() => {
    const openFor = (kind: ColumnDialogOf['kind']) => (key: string) => {
      open({ kind, startWith: key });
    };
    return {
      ...{ view, show, sortBy, layout, arrange },
      filterBy: openFor('filter'),
      changeColumn: mayChange ? openFor('change-column') : undefined,
      removeColumn: mayChange ? openFor('remove-column') : undefined,
      addColumns: mayChange
        ? () => {
            setAdding(true);
          }
        : undefined,
    };
  }, [view, show, sortBy, layout, arrange, mayChange, open, setAdding]);
}

const GridActionsContext = createContext<GridActions | undefined>(undefined);

export interface GridActionsProviderProps {
  readonly actions: GridActions;
  /** Datagrid whose columns the user may change; undefined if they may not. */
  readonly columnsOf: string | undefined;
  readonly children: ReactNode;
}

/** Lets the column headers act on the grid, and fields of choices add choices. */
export function GridActionsProvider(props: GridActionsProviderProps): ReactNode {
  return (
    <ColumnsOf value={props.columnsOf}>
      <GridActionsContext value={props.actions}>{props.children}</GridActionsContext>
    </ColumnsOf>
  );
}

export function useGridActions(): GridActions {
  const actions = useContext(GridActionsContext);
  if (!actions) throw new Error('This component must be inside a grid.');
  return actions;
}
