import { invalidRequest } from '../../common/error/app-error';
import { isStart, type PageRequest } from '../../common/paging/page-request';
import { isComputed, isSearched } from '../../datagrids/column-type/column-type';
import {
  type DatagridSchema,
  findShownColumn,
  type SchemaColumn,
} from '../../datagrids/schema/datagrid-schema';
import { type CursorPosition, decodeCursor, parseSort, type SortKey } from './cursor';
import { EVERY_ROW, type Filter, isEveryRow, parseFilter } from './filter/parse-filter';
import { requireAffordable } from './filter/query-cost';
import type { SavedQuery, SavedSelection } from './saved-query';
import { MAX_FIELDS, type RowQuery } from './row-query';

/** A page by number, with a total, or the rows after a cursor. */
export type Pagination =
  | { readonly kind: 'page'; readonly request: PageRequest }
  | { readonly kind: 'cursor'; readonly after: CursorPosition | null; readonly limit: number };

/** The rows that a query selects. */
export interface MatchRequest {
  readonly filter: Filter;
  /** Text to find in any column of `searched`; `null` for no search. */
  readonly search: string | null;
  /** Columns of the types that `q` searches. */
  readonly searched: readonly SchemaColumn[];
}

/** Computed columns of a response. */
export interface ComputedRequest {
  readonly columns: readonly SchemaColumn[];
  /** Keys of link columns that are read for them only, and not returned. */
  readonly addedKeys: readonly string[];
}

/**
 * A row query checked against the columns of one schema: keys are resolved to columns, and the
 * filter, sort order and cursor are parsed. The repository turns it into SQL.
 */
export interface QueryRequest extends MatchRequest {
  readonly sort: readonly SortKey[];
  /** Stored columns to read; `null` for all. */
  readonly fields: readonly SchemaColumn[] | null;
  readonly computed: ComputedRequest;
  readonly pagination: Pagination;
  /** Identifies the view, in cursors; `null` without a view. */
  readonly viewTag: string | null;
  /** Whether the query is for a public link: rows are printed without ids, revisions and times. */
  readonly isPublic?: true;
}

/**
 * Checks a query against the columns.
 * @param view View that the query narrows.
 * @param isExport Whether only stored columns can be read.
 * @throws AppError `invalid_request` with the path of the invalid part, `query_too_expensive`, or
 *   `conflict` if the view does not fit the columns.
 */
export function queryRequest(
  schema: DatagridSchema,
  rowQuery: RowQuery,
  view: SavedQuery | null,
  isExport = false,
): QueryRequest {
  const { fields, cursor, paging } = rowQuery;
  const saved = view && view.selectionOf(schema);
  const sort = rowQuery.sort ?? saved?.sort;
  const keys = sort === undefined ? [] : parseSort(schema, sort);
  const tag = view && view.tag;
  return {
    ...matchOf(schema, rowQuery, saved),
    sort: keys,
    ...withComputed(
      schema,
      fields === undefined ? (saved?.fields ?? null) : parseFields(schema, fields, isExport),
      isExport,
    ),
    pagination:
      cursor === undefined
        ? { kind: 'page', request: paging }
        : {
            kind: 'cursor',
            after: isStart(cursor) ? null : decodeCursor(schema.datagridId, keys, cursor, tag),
            limit: paging.limit,
          },
    viewTag: tag,
  };
}

/** A filter and a search as the client sent them. */
interface SentMatch {
  readonly filter?: unknown;
  readonly q?: string | undefined;
}

/**
 * Checks which rows a request selects, apart from their order.
 * @param view View that the request narrows.
 * @param otherCost Cost of groups and aggregates, which is added to that of the filter and the search.
 * @throws as `queryRequest`
 */
export function matchRequest(
  schema: DatagridSchema,
  sent: SentMatch,
  view: SavedQuery | null,
  otherCost: number,
): MatchRequest {
  return matchOf(schema, sent, view && view.selectionOf(schema), otherCost);
}

function matchOf(
  schema: DatagridSchema,
  sent: SentMatch,
  saved: SavedSelection | null,
  otherCost = 0,
): MatchRequest {
  const q = sent.q ?? saved?.q;
  const own = sent.filter === undefined ? EVERY_ROW : parseFilter(schema, sent.filter);
  const filter = saved ? bothFilters(saved.filter, own) : own;
  requireAffordable(filter, q, otherCost);
  return {
    filter,
    search: q ?? null,
    searched: [...schema.columns.values()].filter(({ type }) => isSearched(type)),
  };
}

/** Keeps a filter as it is if the other one matches every row, so that both get the same plan. */
function bothFilters(saved: Filter, own: Filter): Filter {
  if (isEveryRow(own)) return saved;
  return isEveryRow(saved) ? own : { kind: 'and', parts: [saved, own] };
}

export const NOTHING_COMPUTED: ComputedRequest = { columns: [], addedKeys: [] };

/** Separates the stored from the computed columns of a response. @param columns `null` for all. */
function withComputed(
  { computed, links }: DatagridSchema,
  columns: readonly SchemaColumn[] | null,
  isExport: boolean,
): Pick<QueryRequest, 'fields' | 'computed'> {
  if (computed.size === 0) return { fields: columns, computed: NOTHING_COMPUTED };
  if (columns === null) {
    const all = isExport ? [] : [...computed.values()];
    return { fields: null, computed: { columns: all, addedKeys: [] } };
  }
  const fields = columns.filter(({ type }) => !isComputed(type));
  if (isExport) return { fields, computed: NOTHING_COMPUTED };
  const returned = columns.filter(({ type }) => isComputed(type));
  const linkIds = new Set(returned.map(({ options }) => options.linkId));
  const added = links.filter((link) => linkIds.has(link.id) && !fields.includes(link));
  return {
    fields: [...fields, ...added],
    computed: { columns: returned, addedKeys: added.map(({ key }) => key) },
  };
}

function parseFields(schema: DatagridSchema, text: string, isExport: boolean): SchemaColumn[] {
  const keys = text.split(',', MAX_FIELDS + 1);
  if (keys.length > MAX_FIELDS) {
    const message = `must not name more than ${MAX_FIELDS.toLocaleString('en-US')} columns`;
    throw invalidRequest([{ field: 'fields', code: 'too_many', message }]);
  }
  return [...new Set(keys)].map((key) => {
    const column = findShownColumn(schema, key);
    if (column && isExport && isComputed(column.type)) {
      const message = `column ${JSON.stringify(key)} is computed, and exports have only stored values; leave it out`;
      throw invalidRequest([{ field: 'fields', code: 'incompatible_parameters', message }]);
    }
    // A client that knows the column by a previous key gets it under that key.
    if (column) return column.key === key ? column : { ...column, key };
    const message = `unknown column ${JSON.stringify(key.slice(0, 63))}`;
    throw invalidRequest([{ field: 'fields', code: 'unknown_column', message }]);
  });
}
