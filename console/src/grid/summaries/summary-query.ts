import { queryOptions } from '@tanstack/react-query';
import { dataRequest } from '../../api/data';
import { datagridPath } from '../../datagrids/datagrid-calls';
import type { RowQuery } from '../../datagrids/row-query';
import { queryClient, type Query } from '../../query-client';
import { objectOf } from '../values/typed-value';
import type { SummaryValue, SummedColumn } from './summary';

/** Maximum number of functions in one request of the API. */
export const MAX_SUMMARIES = 20;

/** Results in the order of the columns. */
export type Summaries = readonly (SummaryValue | undefined)[];

/** Results of functions for all rows that a query selects. */
export const summariesQuery = (
  datagridId: string,
  rowQuery: RowQuery,
  summed: readonly SummedColumn[],
): Query<Summaries> => {
  const body = bodyOf(rowQuery, summed);
  return queryOptions({
    queryKey: ['summaries', datagridId, body],
    queryFn: async ({ signal }): Promise<Summaries> => {
      const path = `${datagridPath(datagridId)}/rows/aggregate`;
      const { data } = await dataRequest<
        readonly { values: Readonly<Record<string, SummaryValue>> }[]
      >('POST', path, { rawBody: body, contentType: 'application/json', signal });
      return summed.map((_, index) => data[0]?.values[nameOf(index)]);
    },
  });
};

export async function reloadSummaries(datagridId: string): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['summaries', datagridId] });
}

const nameOf = (index: number): string => `value${index}`;

/** Returns the body as text, in which numbers of the filter keep the digits that were typed. */
function bodyOf({ filter, q, view }: RowQuery, summed: readonly SummedColumn[]): string {
  const aggregates = summed.map(({ column: { key }, summary }, index) => {
    return { function: summary, column: key, as: nameOf(index) };
  });
  return objectOf(
    new Map([
      ['aggregates', JSON.stringify(aggregates)],
      ...(filter === undefined ? [] : [['filter', filter] as const]),
      ...(q === undefined ? [] : [['q', JSON.stringify(q)] as const]),
      ...(view === undefined ? [] : [['view', JSON.stringify(view)] as const]),
    ]),
  );
}
