import type { Column, JsonValue } from '../../../datagrids/datagrid';
import { currentKey, findColumn } from '../../../datagrids/previous-key';
import { bucketOf, type DateBucket } from '../groups/period';
import { OPERATOR_LABELS, type Condition, type Operator } from './condition';
import { filterJson, isCondition, NO_FILTER, type FilterGroup } from './filter-group';
import { isLinkedKey, ROW_OPERATOR } from './linked-columns';
import { readFilterText } from './read-filter';

export interface SortKey {
  readonly key: string;
  readonly isDescending: boolean;
}

/** Sort order. `none` is the order of the row ids, if there is no other sorting. */
export type SortDirection = 'ascending' | 'descending' | 'none';

/** Filters, search and sorting of a datagrid. They are in the page's address. */
export interface GridView {
  readonly filter: FilterGroup;
  readonly sort: readonly SortKey[];
  /** Search text for all text columns. */
  readonly q: string;
  /** Key of the column whose values are the groups of the rows; `null` for no groups. */
  readonly groupBy: string | null;
  /** Period of the dates in that column; `null` to group by the values themselves. */
  readonly groupBucket: DateBucket | null;
  /** Value of the group whose rows are displayed; undefined for all, `null` for rows without one. */
  readonly group: JsonValue | undefined;
  /** Key of the column whose choices color the rows; `null` for no colors. */
  readonly colorBy: string | null;
}

/** All rows in the order of their ids. */
export const ALL_ROWS: GridView = {
  filter: NO_FILTER,
  sort: [],
  q: '',
  groupBy: null,
  groupBucket: null,
  group: undefined,
  colorBy: null,
};

/** Maximum number of columns in a sort order. */
export const MAX_SORT_KEYS = 4;

/** Parameter of the page's address for one of several conditions that all must match. */
const CONDITION_PARAMETER = 'where';
/** Parameter for any other filter, in the JSON of the API. */
const FILTER_PARAMETER = 'filter';

/** Parameter for the period of the groups. */
const BUCKET_PARAMETER = 'by';
/** Parameter for the value of the displayed group, in JSON. */
const GROUP_PARAMETER = 'in';

/**
 * Reads a view from an address, which may name columns by their previous keys.
 * @param filterColumns The columns, and those of linked rows.
 */
export function viewOf(
  search: URLSearchParams,
  columns: readonly Column[],
  filterColumns = columns,
): GridView {
  const conditions = search
    .getAll(CONDITION_PARAMETER)
    .flatMap((text) => conditionOf(text) ?? [])
    .map((condition) => ({ ...condition, key: currentKey(filterColumns, condition.key) }));
  const filter = readFilterText(search.get(FILTER_PARAMETER) ?? '', filterColumns);
  const groups = findColumn(columns, search.get('group') ?? '');
  return {
    filter: filter ?? { ...NO_FILTER, parts: conditions },
    sort: sortOf(search.get('sort') ?? '').map((one) => ({
      ...one,
      key: currentKey(columns, one.key),
    })),
    q: search.get('q') ?? '',
    groupBy: groups?.key ?? null,
    groupBucket: bucketOf(groups, search.get(BUCKET_PARAMETER)),
    group: groupOf(search),
    colorBy: findColumn(columns, search.get('color') ?? '')?.key ?? null,
  };
}

/** Returns the value of the group in an address. */
export function groupOf(search: URLSearchParams): JsonValue | undefined {
  const text = search.get(GROUP_PARAMETER);
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Sets the value of the group in an address. */
export function setGroup(search: URLSearchParams, { group }: GridView): void {
  if (group === undefined) search.delete(GROUP_PARAMETER);
  else search.set(GROUP_PARAMETER, JSON.stringify(group));
}

export function searchOf(view: GridView, columns: readonly Column[]): URLSearchParams {
  const { filter, sort, q, groupBy, groupBucket, colorBy } = view;
  const search = new URLSearchParams();
  const { match, parts } = filter;
  if (parts.every(isCondition) && (match === 'all' || parts.length < 2)) {
    for (const { key, operator, typed } of parts) {
      search.append(CONDITION_PARAMETER, `${key}:${operator}:${typed}`);
    }
  } else {
    const json = filterJson(filter, columns);
    if (json !== undefined) search.set(FILTER_PARAMETER, json);
  }
  const text = sortParameter(sort);
  if (text !== undefined) search.set('sort', text);
  if (q !== '') search.set('q', q);
  if (groupBy !== null) search.set('group', groupBy);
  if (groupBucket !== null) search.set(BUCKET_PARAMETER, groupBucket);
  setGroup(search, view);
  if (colorBy !== null) search.set('color', colorBy);
  return search;
}

/**
 * Returns the `sort` parameter of the API, such as `-size,name`; `undefined` for the order of row
 * ids.
 */
export function sortParameter(sort: readonly SortKey[]): string | undefined {
  if (sort.length === 0) return undefined;
  return sort.map(({ key, isDescending }) => (isDescending ? `-${key}` : key)).join(',');
}

export function sortOf(text: string): SortKey[] {
  const keys = text.split(',').filter((part) => /^-?[a-z_]\w*$/.test(part));
  return keys
    .slice(0, MAX_SORT_KEYS)
    .map((part) => ({ key: part.replace('-', ''), isDescending: part.startsWith('-') }));
}

/** Returns whether the filter of an address compares linked rows, whose columns must be known first. */
export function comparesLinkedRows(search: URLSearchParams): boolean {
  const isLinked = (text: string): boolean => isLinkedKey(conditionOf(text)?.key ?? '');
  const filter = search.get(FILTER_PARAMETER) ?? '';
  return search.getAll(CONDITION_PARAMETER).some(isLinked) || filter.includes(ROW_OPERATOR);
}

function conditionOf(text: string): Condition | null {
  const [, key, operator, typed] =
    /^([a-z]\w*(?:\.[a-z]\w*)?):(\$?[a-zA-Z]+):(.*)$/s.exec(text) ?? [];
  if (key === undefined || operator === undefined || !(operator in OPERATOR_LABELS)) return null;
  return { key, operator: operator as Operator, typed: typed ?? '' };
}
