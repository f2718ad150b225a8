import { queryOptions } from '@tanstack/react-query';
import type { RowQuery } from '../../../datagrids/row-query';
import { queryClient, type Query } from '../../../query-client';
import { aggregateBody, aggregateRows } from '../../data/loading/aggregate-call';
import type { SummarizedColumn, SummaryValue } from '../columns/summary';

/** Results by `resultName`. */
export type Summaries = Readonly<Record<string, SummaryValue>>;

/** Name of a result in the API, by which an earlier result never passes for another one. */
export const resultName = ({ column, summary }: SummarizedColumn): string =>
  `${summary}_${column.key}`;

/** Results of functions for all rows that a query selects. */
export const summariesQuery = (
  datagridId: string,
  rowQuery: RowQuery,
  summarized: readonly SummarizedColumn[],
): Query<Summaries> => {
  const aggregates = summarized.map(({ column: { key }, summary }) => {
    return { function: summary, column: key };
  });
  const body = aggregateBody(rowQuery, { aggregates });
  return queryOptions({
    queryKey: ['summaries', datagridId, body],
    queryFn: async ({ signal }): Promise<Summaries> =>
      (await aggregateRows(datagridId, body, signal)).data[0]?.values ?? {},
  });
};

export async function reloadSummaries(datagridId: string): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['summaries', datagridId] });
}
