import { queryOptions } from '@tanstack/react-query';
import { dataRequest } from '../../api/data';
import type { Column, JsonValue } from '../../datagrids/datagrid';
import { datagridPath } from '../../datagrids/datagrid-calls';
import type { RowQuery } from '../../datagrids/row-query';
import { queryClient, type Query } from '../../query-client';
import { objectOf } from '../values/typed-value';
import type { RowGroup } from './group';
import type { DateBucket } from './period';

/** Maximum number of groups of the API. */
const MAX_GROUPS = 1_000;

export interface FoundGroups {
  readonly groups: readonly RowGroup[];
  /** Number of all groups. */
  readonly total: number;
}

interface ApiGroup {
  readonly group: Readonly<Record<string, JsonValue>>;
  readonly values: Readonly<Record<string, number | string | null>>;
}

/** Groups of the rows that a query selects, with their counts and sums. */
export const groupsQuery = (
  datagridId: string,
  rowQuery: RowQuery,
  groupBy: string,
  bucket: DateBucket | null,
  summed: readonly Column[],
): Query<FoundGroups> => {
  const body = aggregateBody(rowQuery, groupBy, bucket, summed);
  return queryOptions({
    queryKey: ['groups', datagridId, body],
    queryFn: async ({ signal }): Promise<FoundGroups> => {
      const path = `${datagridPath(datagridId)}/rows/aggregate`;
      const { data, meta } = await dataRequest<readonly ApiGroup[]>('POST', path, {
        rawBody: body,
        contentType: 'application/json',
        signal,
      });
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

/** Returns the body of a request for groups as text, in which numbers of the filter keep the digits that were typed. */
function aggregateBody(
  { filter, q, view }: RowQuery,
  groupBy: string,
  bucket: DateBucket | null,
  summed: readonly Column[],
): string {
  const sums = summed.map(({ key }, index) => {
    return { function: 'sum', column: key, as: `sum${index}` };
  });
  return objectOf(
    new Map([
      ['groupBy', JSON.stringify([{ column: groupBy, ...(bucket && { bucket }) }])],
      ['aggregates', JSON.stringify([{ function: 'count' }, ...sums])],
      ['limit', String(MAX_GROUPS)],
      ...(filter === undefined ? [] : [['filter', filter] as const]),
      ...(q === undefined ? [] : [['q', JSON.stringify(q)] as const]),
      ...(view === undefined ? [] : [['view', JSON.stringify(view)] as const]),
    ]),
  );
}
