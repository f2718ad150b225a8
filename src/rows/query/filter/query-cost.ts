import { AppError } from '../../../common/error/app-error';
import { OPERATORS, TEXT_SEARCH_COST } from './operators';
import type { Filter } from './parse-filter';

/**
 * Maximum cost of a query. A unit is a condition that compares one value: up to 3.5 ms on a row of
 * 1 MB, which PostgreSQL decompresses for each condition.
 */
export const MAX_QUERY_COST = 200;
/** Number of values of `$in`, `$nin` and `$containsAny` that cost one more unit. */
const VALUES_PER_UNIT = 100;

/** Returns the cost of a query for each row that it reads. The cost is known before it runs. */
export function queryCost(filter: Filter, search: string | undefined): number {
  return filterCost(filter) + (search === undefined ? 0 : TEXT_SEARCH_COST);
}

/**
 * Checks the cost of a query.
 * @param otherCost Cost of groups and aggregates, which is added to that of the filter and the search.
 * @throws AppError `query_too_expensive` if it exceeds the maximum.
 */
export function requireAffordable(filter: Filter, search?: string, otherCost = 0): void {
  const cost = queryCost(filter, search) + otherCost;
  if (cost <= MAX_QUERY_COST) return;
  const message = `has a cost of ${String(cost)}; the maximum is ${String(MAX_QUERY_COST)}`;
  throw new AppError(
    'query_too_expensive',
    `The query is too expensive. ${otherCost === 0 ? '' : AGGREGATE_COSTS}${COSTS}, other conditions cost 1, and ${inWords(LISTS)} 1 more for ${String(VALUES_PER_UNIT)} values.`,
    { details: [{ field: 'filter', code: 'too_many', message }] },
  );
}

function filterCost(filter: Filter): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.parts.reduce((sum, part) => sum + filterCost(part), 0);
    case 'not':
      return filterCost(filter.part);
    case 'linked':
      return 1;
    case 'column': {
      const { operator, operands } = filter;
      return operator.cost + Math.floor(operands.length / VALUES_PER_UNIT);
    }
  }
}

/** Cost of `countDistinct`, which sorts the values of a group. It takes memory besides time. */
export const DISTINCT_COST = 20;

const AGGREGATE_COSTS = `countDistinct costs ${String(DISTINCT_COST)}, and each other column of groupBy and aggregates 1. `;

const OF_ALL_GROUPS = Object.values(OPERATORS).flat();
const LISTS = [
  ...new Set(OF_ALL_GROUPS.filter(({ operand }) => operand === 'values').map(({ name }) => name)),
];

/**
 * Costs of `q` and of the operators that cost more than 1, such as "$contains and q cost 10 each".
 */
const COSTS = costsOf([...OF_ALL_GROUPS, { name: 'q', cost: TEXT_SEARCH_COST }]);

/** Returns a phrase that names each cost above 1 and its operators. */
export function costsOf(operators: readonly { name: string; cost: number }[]): string {
  const byCost = new Map<number, string[]>();
  for (const { name, cost } of operators) {
    if (cost > 1) byCost.set(cost, [...(byCost.get(cost) ?? []), name]);
  }
  return [...byCost]
    .map(([cost, names]) =>
      names.length === 1
        ? `${names.join()} costs ${String(cost)}`
        : `${inWords(names)} cost ${String(cost)} each`,
    )
    .join(', ');
}

/** Returns several names as a phrase, such as `a, b and c`. */
function inWords(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} and ${names.slice(-1).join()}`;
}
