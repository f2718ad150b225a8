import { AppError } from '../../common/error/app-error';
import type { FieldError } from '../../common/error/field-error';
import { columnsWithoutIndex } from './columns-without-index';
import type { FindRequest } from './find-request';
import { indexUse } from './plan/index-use';
import { isEveryRow } from './plan/query-parts';

/** Parts of a query that determine which rows it reads. */
type ReadRows = Pick<FindRequest, 'filter' | 'search' | 'sort'>;

const INDEXED_CONDITION = '$eq, $in, $startsWith or a range on an indexed column';

/**
 * Returns the 400 error for a query that timed out. The message suggests how to make it faster,
 * and `details` names the columns without an index, and `q`, which no index serves.
 */
export function queryOutOfTime(query: ReadRows, cause?: unknown): AppError {
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

function advice({ filter, search }: ReadRows, canIndexMore: boolean): string {
  const hints: string[] = [];
  if (canIndexMore) hints.push('Mark the columns in details as indexed.');
  if (indexUse(filter) !== null) {
    hints.push('Too many rows match. Use a narrower filter.');
  } else if (search !== null) {
    hints.push(`No index serves q. Add a filter with ${INDEXED_CONDITION}.`);
  } else if (!canIndexMore && !isEveryRow(filter)) {
    hints.push(`No index serves this filter. Add a condition with ${INDEXED_CONDITION}.`);
  }
  if (hints.length === 0) hints.push('Request an earlier page, or use cursor instead of page.');
  return hints.join(' ');
}
