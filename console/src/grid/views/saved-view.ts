import type { Column } from '../../datagrids/datagrid';
import { filterJson, NO_FILTER } from '../query/filter/filter-group';
import { ALL_ROWS, sortOf, sortParameter, type GridView } from '../query/filter/grid-view';
import { readFilter } from '../query/filter/read-filter';
import { bucketOf } from '../query/groups/period';
import type { LayoutColumn } from '../table/columns/layout';

type Json = Readonly<Record<string, unknown>>;

/** A saved view, as the API returns it. */
export interface SavedView {
  readonly id: string;
  readonly name: string;
  readonly filter: Json | null;
  readonly sort: string | null;
  readonly q: string | null;
  readonly columns: readonly LayoutColumn[];
  readonly groupBy: string | null;
  readonly groupBucket: string | null;
  readonly colorBy: string | null;
  readonly updatedAt: string;
}

/** Returns the query of a saved view in the form of the grid. */
export function shownView(view: SavedView, columns: readonly Column[]): GridView {
  const { filter, sort, q, groupBy, colorBy } = view;
  const groups = columns.find(({ key }) => key === groupBy);
  return {
    ...{ ...ALL_ROWS, groupBy, groupBucket: bucketOf(groups, view.groupBucket), colorBy },
    filter: filter === null ? NO_FILTER : readFilter(filter, columns),
    sort: sortOf(sort ?? ''),
    q: q ?? '',
  };
}

/** Whether a view filters or sorts by a column that was removed, so that the service rejects it. */
export function namesRemovedColumn({ filter, sort }: SavedView): boolean {
  return (sort ?? '').includes('~') || (filter !== null && namesOf(filter).some(isRemoved));
}

/** Returns the names that the filter and the sort order of a view contain. */
export function columnsNamedBy({ filter, sort }: SavedView): string[] {
  const sorted = (sort ?? '').split(',').map((name) => name.replace(/^-/, ''));
  return [...sorted, ...(filter === null ? [] : namesOf(filter))];
}

/** The service names a removed column `key~id`. */
const isRemoved = (name: string): boolean => name.includes('~');

function namesOf(filter: Json): string[] {
  return Object.entries(filter).flatMap(([name, value]) => {
    if (name === '$not') return namesOf(value as Json);
    if (name === '$and' || name === '$or') return (value as readonly Json[]).flatMap(namesOf);
    return [name];
  });
}

/** Whether two views of the grid are the same, apart from the group that is displayed. */
export function isSameView(a: GridView, b: GridView, columns: readonly Column[]): boolean {
  return (
    filterJson(a.filter, columns) === filterJson(b.filter, columns) &&
    sortParameter(a.sort) === sortParameter(b.sort) &&
    a.q === b.q &&
    a.groupBy === b.groupBy &&
    a.groupBucket === b.groupBucket &&
    a.colorBy === b.colorBy
  );
}
