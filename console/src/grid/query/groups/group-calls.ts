import { queryOptions } from '@tanstack/react-query';
import type { Column } from '../../../datagrids/datagrid';
import type { RowQuery } from '../../../datagrids/row-query';
import { queryClient, type Query } from '../../../query-client';
import { aggregateBody, aggregateRows } from '../../data/loading/aggregate-call';
import type { RowGroup } from './group';
import type { DateBucket } from './period';

/** Maximum number of groups of the API. */
const MAX_GROUPS = 1_000;

export interface FoundGroups {
  readonly groups: readonly RowGroup[];
  /** Number of all groups. */
  readonly total: number;
}

/** Groups of the rows that a query selects, with their counts and sums. */
export const groupsQuery = (
  datagridId: string,
  rowQuery: RowQuery,
  groupBy: string,
  bucket: DateBucket | null,
  summed: readonly Column[],
): Query<FoundGroups> => {
  const sums = summed.map(({ key }, index) => {
    return { function: 'sum', column: key, as: `sum${index}` };
  });
  const body = aggregateBody(rowQuery, {
    groupBy: [{ column: groupBy, ...(bucket && { bucket }) }],
    aggregates: [{ function: 'count' }, ...sums],
    limit: MAX_GROUPS,
  });
  return queryOptions({
    queryKey: ['groups', datagridId, body],
    queryFn: async ({ signal }): Promise<FoundGroups> => {
      const { data, meta } = await aggregateRows(datagridId, body, signal);
      const groups = data.map(({ group, values }) => ({
        value: group[groupBy] ?? null,
        count: Number(values['count']),
        sums: summed.map((_, index) => values[`sum${index}`]?.toString() ?? null),
      }));
      return { groups, total: meta?.total ?? groups.length };
    },
  });
};

export async function reloadGroups(datagridId: string): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['groups', datagridId] });
}
