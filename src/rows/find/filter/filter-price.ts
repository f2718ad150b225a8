import { AppError } from '../../../common/error/app-error';
import type { Filter } from './filter';

/**
 * Maximum cost of a query. A unit is a condition that compares one value: up to 3.5 ms on a row of
 * 1 MB, which PostgreSQL decompresses for each condition.
 */
export const MAX_QUERY_PRICE = 200;
/**
 * Cost of `$contains` on text, and of `q`: up to 60 ms on a row of 1 MB, of which up to 40 ms
 * cannot be cancelled.
 */
const TEXT_SEARCH_PRICE = 10;
/** Number of values of `$in` and `$nin` that cost one more unit. */
const VALUES_PER_UNIT = 100;

/** Returns the cost of a query for each row that it reads. The cost is known before it runs. */
export function queryPrice(filter: Filter, search: string | undefined): number {
  return filterPrice(filter) + (search === undefined ? 0 : TEXT_SEARCH_PRICE);
}

/** Checks the cost of a query. @throws AppError `query_too_expensive` if it exceeds the maximum. */
export function requireAffordable(filter: Filter, search?: string): void {
  const price = queryPrice(filter, search);
  if (price <= MAX_QUERY_PRICE) return;
  const message = `has a cost of ${String(price)}; the maximum is ${String(MAX_QUERY_PRICE)}`;
  throw new AppError(
    'query_too_expensive',
    `The query is too expensive. $contains and q cost ${String(TEXT_SEARCH_PRICE)} each, other conditions cost 1, and $in and $nin 1 more for ${String(VALUES_PER_UNIT)} values.`,
    { details: [{ field: 'filter', code: 'too_many', message }] },
  );
}

function filterPrice(filter: Filter): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.parts.reduce((sum, part) => sum + filterPrice(part), 0);
    case 'not':
      return filterPrice(filter.part);
    case 'null':
      return 1;
    case 'membership':
      return 1 + Math.floor(filter.operands.length / VALUES_PER_UNIT);
    case 'comparison': {
      const isTextSearch = filter.operator === '$contains' && filter.column.type !== 'multiSelect';
      return isTextSearch ? TEXT_SEARCH_PRICE : 1;
    }
  }
}
