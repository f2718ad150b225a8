import { invalidRequest } from '../../common/error/app-error';
import type { PageRequest } from '../../common/paging/page-request';
import type { DatagridSchema, SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import { decodeCursor, type CursorPosition } from './cursor/cursor';
import { EVERY_ROW, type Filter } from './filter/filter';
import { requireAffordable } from './filter/filter-price';
import { parseFilter } from './filter/parse-filter';
import type { RowQuery } from './row-query';
import { parseSort, type SortKey } from './sort/sort';

/** A page by number, with its total; or the rows after a cursor. */
export type FindPlace =
  | { readonly kind: 'page'; readonly request: PageRequest }
  | { readonly kind: 'cursor'; readonly after: CursorPosition | null; readonly limit: number };

/** What a caller wants to find, checked against the columns. */
export interface FindRequest {
  readonly filter: Filter;
  /** Text to be found in any of `searched`; `null` for none. */
  readonly search: string | null;
  /** The columns of text. */
  readonly searched: readonly SchemaColumn[];
  readonly sort: readonly SortKey[];
  /** The columns to give; `null` for all. */
  readonly fields: readonly SchemaColumn[] | null;
  readonly place: FindPlace;
}

/** Names in `fields`: more than a datagrid may have columns. */
const MAX_FIELDS = 2_000;
const SEARCHED_TYPES: ReadonlySet<string> = new Set(['text', 'email', 'url']);

/**
 * Checks a query against the columns.
 * @throws AppError `invalid_request` naming the place, or `query_too_expensive`.
 */
export function findRequest(schema: DatagridSchema, rowQuery: RowQuery): FindRequest {
  const { filter, sort, fields, q, cursor, paging } = rowQuery;
  const keys = sort === undefined ? [] : parseSort(schema, sort);
  const parsed = filter === undefined ? EVERY_ROW : parseFilter(schema, filter);
  requireAffordable(parsed, q);
  return {
    filter: parsed,
    search: q ?? null,
    searched: [...schema.columns.values()].filter(({ type }) => SEARCHED_TYPES.has(type)),
    sort: keys,
    fields: fields === undefined ? null : parseFields(schema, fields),
    place:
      cursor === undefined
        ? { kind: 'page', request: paging }
        : {
            kind: 'cursor',
            after: cursor === '' ? null : decodeCursor(keys, cursor),
            limit: paging.limit,
          },
  };
}

function parseFields(schema: DatagridSchema, text: string): SchemaColumn[] {
  const keys = text.split(',', MAX_FIELDS + 1);
  if (keys.length > MAX_FIELDS) {
    const message = `must not name more than ${MAX_FIELDS.toLocaleString('en-US')} columns`;
    throw invalidRequest([{ field: 'fields', code: 'too_many', message }]);
  }
  return [...new Set(keys)].map((key) => {
    const column = schema.columns.get(key);
    if (column) return column;
    const message = `unknown column ${JSON.stringify(key.slice(0, 63))}`;
    throw invalidRequest([{ field: 'fields', code: 'unknown_column', message }]);
  });
}
