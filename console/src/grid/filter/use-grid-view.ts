import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import type { Column } from '../../datagrids/datagrid';
import type { RowQuery } from '../../datagrids/row-query';
import { filterJson } from './condition';
import {
  MAX_SORT_KEYS,
  searchOf,
  sortParameter,
  viewOf,
  type GridView,
  type SortDirection,
} from './grid-view';

export interface GridViewState {
  readonly view: GridView;
  /** The corresponding query of the API. */
  readonly rowQuery: RowQuery;
  readonly show: (view: GridView) => void;
  /** @param isMore Adds the column to the current sort order. */
  readonly sortBy: (key: string, direction: SortDirection, isMore: boolean) => void;
}

/** Reads and writes the view in the URL of the page. */
export function useGridView(columns: readonly Column[]): GridViewState {
  const [search, setSearch] = useSearchParams();
  const text = search.toString();
  const view = useMemo(() => viewOf(new URLSearchParams(text)), [text]);
  const rowQuery = useMemo(
    () => ({
      filter: filterJson(view.conditions, columns),
      sort: sortParameter(view.sort),
      q: view.q === '' ? undefined : view.q,
    }),
    [view, columns],
  );
  const show = useCallback(
    (next: GridView) => {
      setSearch(searchOf(next), { replace: true });
    },
    [setSearch],
  );
  const sortBy = useCallback<GridViewState['sortBy']>(
    (key, direction, isMore) => {
      const others = isMore ? view.sort.filter((one) => one.key !== key) : [];
      const added = direction === 'none' ? [] : [{ key, isDescending: direction === 'descending' }];
      show({ ...view, sort: [...others, ...added].slice(-MAX_SORT_KEYS) });
    },
    [view, show],
  );
  return { view, rowQuery, show, sortBy };
}
