import { OPERATOR_LABELS, type Condition, type Operator } from './condition';

export interface SortKey {
  readonly key: string;
  readonly isDescending: boolean;
}

/** Sort order. `none` is the order of the row ids, if there is no other sorting. */
export type SortDirection = 'ascending' | 'descending' | 'none';

/** Filters, search and sorting of a datagrid. They are in the page's address. */
export interface GridView {
  readonly conditions: readonly Condition[];
  readonly sort: readonly SortKey[];
  /** Search text for all text columns. */
  readonly q: string;
}

/** Maximum number of columns in a sort order. */
export const MAX_SORT_KEYS = 4;

export function viewOf(search: URLSearchParams): GridView {
  return {
    conditions: search.getAll('where').flatMap((text) => conditionOf(text) ?? []),
    sort: sortOf(search.get('sort') ?? ''),
    q: search.get('q') ?? '',
  };
}

export function searchOf({ conditions, sort, q }: GridView): URLSearchParams {
  const search = new URLSearchParams();
  for (const { key, operator, typed } of conditions) {
    search.append('where', `${key}:${operator}:${typed}`);
  }
  const text = sortParameter(sort);
  if (text !== undefined) search.set('sort', text);
  if (q !== '') search.set('q', q);
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

function conditionOf(text: string): Condition | null {
  const [, key, operator, typed] = /^([a-z]\w*):(\$?[a-zA-Z]+):(.*)$/s.exec(text) ?? [];
  if (key === undefined || operator === undefined || !(operator in OPERATOR_LABELS)) return null;
  return { key, operator: operator as Operator, typed: typed ?? '' };
}
