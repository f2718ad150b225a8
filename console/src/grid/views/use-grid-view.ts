import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import type { Column } from '../../datagrids/datagrid';
import type { RowQuery } from '../../datagrids/row-query';
import { bothFilters, filterJson } from '../query/filter/filter-group';
import {
  groupOf,
  MAX_SORT_KEYS,
  searchOf,
  setGroup,
  sortParameter,
  viewOf,
  type GridView,
  type SortDirection,
} from '../query/filter/grid-view';
import { groupJson } from '../query/groups/group-filter';
import { isSameView, namesRemovedColumn, shownView, type SavedView } from './saved-view';

export interface GridViewState {
  readonly view: GridView;
  /** The corresponding query of the API, whose rows have the values of all columns. */
  readonly rowQuery: RowQuery;
  /** The query without the group that is displayed. */
  readonly wholeQuery: RowQuery;
  /** The same query as a view saves it, even if the service rejects it. */
  readonly ownQuery: RowQuery;
  /** The query of exports and examples. It names the saved view, as long as the view is unchanged. */
  readonly apiQuery: RowQuery;
  /** JSON of the filter of that group. */
  readonly groupFilter: string | undefined;
  /** Whether the filter, the sort order or the search differs from that of the saved view. */
  readonly isChanged: boolean;
  readonly show: (view: GridView) => void;
  /** Opens a saved view without changes; all rows if there is no id. */
  readonly open: (viewId: string | undefined) => void;
  /** @param isMore Adds the column to the current sort order. */
  readonly sortBy: (key: string, direction: SortDirection, isMore: boolean) => void;
}

/** Parameter of the page's address: the id of the saved view. */
export const VIEW_PARAMETER = 'view';
/** Set if the address has the whole query, and not that of the saved view. */
const CHANGED_PARAMETER = 'changed';

/**
 * Reads and writes the view in the URL of the page.
 * @param filterColumns The columns, and those of linked rows.
 * @param saved The saved view in the URL.
 */
export function useGridView(
  columns: readonly Column[],
  filterColumns: readonly Column[],
  saved: SavedView | undefined,
): GridViewState {
  const [search, setSearch] = useSearchParams();
  const text = search.toString();
  const shown = useMemo(() => saved && shownView(saved, columns), [saved, columns]);
  const isRemoved = saved !== undefined && namesRemovedColumn(saved);
  const isChanged = saved !== undefined && search.has(CHANGED_PARAMETER);
  const view = useMemo(() => {
    const search = new URLSearchParams(text);
    return shown && !isChanged
      ? { ...shown, group: groupOf(search) }
      : viewOf(search, columns, filterColumns);
  }, [shown, isChanged, text, columns, filterColumns]);
  const groupFilter = groupJson(view, columns);
  const ownQuery = useMemo(
    (): RowQuery => ({
      filter: filterJson(view.filter, filterColumns),
      sort: sortParameter(view.sort),
      q: view.q === '' ? undefined : view.q,
    }),
    [view, filterColumns],
  );
  // The service says which removed column the view names.
  const rejectedId = isRemoved && !isChanged ? saved.id : undefined;
  const wholeQuery = useMemo(
    (): RowQuery => (rejectedId === undefined ? ownQuery : { view: rejectedId }),
    [rejectedId, ownQuery],
  );
  const rowQuery = useMemo(
    (): RowQuery => ({ ...wholeQuery, filter: bothFilters(wholeQuery.filter, groupFilter) }),
    [wholeQuery, groupFilter],
  );
  const show = useCallback(
    (next: GridView) => {
      const isSaved = shown !== undefined && !isRemoved && isSameView(next, shown, filterColumns);
      const query = isSaved ? new URLSearchParams() : searchOf(next, filterColumns);
      setGroup(query, next);
      if (saved) query.set(VIEW_PARAMETER, saved.id);
      if (saved && !isSaved) query.set(CHANGED_PARAMETER, '1');
      if (query.toString() !== text) setSearch(query);
    },
    [saved, shown, isRemoved, filterColumns, text, setSearch],
  );
  const open = useCallback(
    (viewId: string | undefined) => {
      setSearch(viewId === undefined ? {} : { [VIEW_PARAMETER]: viewId });
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
  const apiQuery = saved && !isChanged ? { view: saved.id, filter: groupFilter } : rowQuery;
  const queries = { rowQuery, wholeQuery, ownQuery, apiQuery };
  return { view, ...queries, groupFilter, isChanged, show, open, sortBy };
}
