import type { PageRequest } from '../../common/paging/page-request';
import type { QueryKind } from '../../platform/database/query-pool';
import type { FoundIds } from '../query/columnar-reads';
import type { SortKey } from '../query/cursor';
import { isEveryRow } from '../query/filter/parse-filter';
import { type ChangedSince, changedSince } from '../query/plan/changed-since-sql';
import { indexUse, isSelective, keysetSort } from '../query/plan/query-parts';
import type { QueryRequest } from '../query/query-request';
import type { ResolvedQuery } from './row-request';

/** How the rows of a request are read. */
export type RowPlan =
  /** Rows in id order, by their positions. It needs no columns. */
  | { readonly kind: 'position'; readonly page: PageRequest }
  /** Rows by their values. `queryPlans` decides how, once the columns are known. */
  | { readonly kind: 'query'; readonly query: ResolvedQuery };

export function planOf({ rowQuery, view }: ResolvedQuery): RowPlan {
  const { paging, filter, sort, fields, q, cursor } = rowQuery;
  const selects = filter !== undefined || q !== undefined || view !== null;
  const isPlain = !selects && sort === undefined && fields === undefined && cursor === undefined;
  if (isPlain) return { kind: 'position', page: paging };
  return { kind: 'query', query: { rowQuery, view } };
}

/** How a query finds its rows, and the share of the connections that it takes. */
export type QueryPlan = { readonly cost: QueryKind } & (
  | /** Among the rows that the change log names, if it names all that may match. */ {
      readonly kind: 'changed';
      readonly since: ChangedSince;
    }
  /** By a columnar copy, if there is one that finds them exactly. */
  | { readonly kind: 'columnar' }
  /** In the order of the index of the first column to sort by. */
  | { readonly kind: 'keyset'; readonly first: SortKey }
  /** All that match, by the index of a condition or a scan, which are then sorted. */
  | { readonly kind: 'match' }
);

/** What a statement of PostgreSQL reads: the rows of a plan, or those that a columnar copy has found. */
export type StatementPlan =
  | Exclude<QueryPlan, { readonly kind: 'columnar' }>
  | { readonly kind: 'found'; readonly found: FoundIds };

/** Returns the plans of a query, to be tried in this order. The last one always finds the rows. */
export function queryPlans(request: QueryRequest): readonly QueryPlan[] {
  const cost = costOf(request);
  const since = changedSince(request);
  const first = keysetSort(request);
  const last: QueryPlan = first ? { kind: 'keyset', cost, first } : { kind: 'match', cost };
  return [
    ...(since ? [{ kind: 'changed', cost, since } as const] : []),
    // An index returns the rows of a page sooner.
    ...(cost === 'indexed' || isSelective(request.filter)
      ? []
      : [{ kind: 'columnar', cost } as const]),
    last,
  ];
}

/**
 * Returns `indexed` if an index returns the rows of the page in order, and `scan` if PostgreSQL must sort,
 * filter or search rows.
 */
function costOf(request: QueryRequest): QueryKind {
  const { filter, search, sort, isPublic } = request;
  if (isPublic) return 'public';
  if (search !== null) return 'scan';
  const use = indexUse(filter);
  const isById = use === null && sort[0]?.column.attribute?.isUnique === true;
  const isInOrder = sort.length === 0 || isById || keysetSort(request) !== undefined;
  const isIndexed = isInOrder && isEveryRow(use ? use.remainingFilter : filter);
  return isIndexed ? 'indexed' : 'scan';
}
