import { AppError, type FieldError, invalidField } from '../../common/error/app-error';
import { hasIndex } from '../../datagrids/column/column-record';
import { type Filter, isEveryRow } from './filter/parse-filter';
import { indexUse } from './plan/query-parts';
import type { QueryColumn } from './query-column';
import type { QueryRequest } from './query-request';

/** Parts of a query that determine which rows it reads. */
type ReadRows = Pick<QueryRequest, 'filter' | 'search' | 'sort'> & {
  /** Absent if all rows are read, as for aggregates. */
  readonly pagination?: QueryRequest['pagination'];
};

const INDEXED_CONDITION = '$eq, $in, $startsWith or a range on an indexed column';

/**
 * Returns the 400 error for a query that timed out. The message suggests how to make it faster,
 * and `details` names the columns without an index, and `q`, which no index serves.
 */
export function queryTimeoutError(query: ReadRows, cause?: unknown): AppError {
  const unindexed = columnsWithoutIndex(query);
  const details: FieldError[] = unindexed.map(({ key: field }) => {
    return {
      field,
      code: 'not_indexed',
      message: 'requires a full scan; mark the column as indexed',
    };
  });
  if (query.search !== null) {
    const message = `requires a scan of every row that matches the filter; add a filter with ${INDEXED_CONDITION}`;
    details.push({ field: 'q', code: 'not_indexed', message });
  }
  const message = `The query timed out. ${advice(query, unindexed.length > 0)}`;
  return new AppError('query_too_expensive', message, { details, cause });
}

function advice({ filter, search, sort, pagination }: ReadRows, canIndexMore: boolean): string {
  const hints: string[] = [];
  if (canIndexMore) hints.push('Mark the columns in details as indexed.');
  if (indexUse(filter) !== null) {
    hints.push('Too many rows match. Use a narrower filter.');
  } else if (search !== null) {
    hints.push(`No index serves q. Add a filter with ${INDEXED_CONDITION}.`);
  } else if (!canIndexMore && !isEveryRow(filter)) {
    hints.push(`No index serves this filter. Add a condition with ${INDEXED_CONDITION}.`);
  } else if (!canIndexMore && sort[0]?.column.attribute?.isUnique === false) {
    hints.push(`No index serves this sort. Add a filter with ${INDEXED_CONDITION}.`);
  }
  if (hints.length === 0) {
    const isNumbered = pagination?.kind === 'page';
    const narrower = `Too many rows match. Add a filter with ${INDEXED_CONDITION}.`;
    hints.push(isNumbered ? 'Request an earlier page, or use cursor instead of page.' : narrower);
  }
  return hints.join(' ');
}

/** Returns the columns without an index that a request filters or sorts by, each once. */
function columnsWithoutIndex({
  filter,
  sort,
}: Pick<QueryRequest, 'filter' | 'sort'>): QueryColumn[] {
  const columns = [...filterColumns(filter), ...sort.map(({ column }) => column)];
  return [...new Set(columns)].filter((column) => !hasIndex(column) && !column.attribute);
}

/** Returns the column of each condition in a filter, including duplicates. */
function filterColumns(filter: Filter): QueryColumn[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.parts.flatMap(filterColumns);
    case 'not':
      return filterColumns(filter.part);
    case 'linked':
      return [];
    case 'column':
      return [filter.column];
  }
}

/** Returns the error for a page that exceeds MAX_PAGE_BYTES. */
export function pageTooLarge(): Error {
  const message =
    'returns too much data for rows of this size; use a smaller limit or fewer fields';
  return invalidField('limit', 'too_large', message);
}
