import { useInfiniteQuery, type UseInfiniteQueryResult } from '@tanstack/react-query';
import { dataRequest } from '../../api/data';

/** Interval at which a visible page reads the health of a webhook or a connection again. */
export const HEALTH_MS = 10_000;

/** Number of entries on a page. */
const ENTRIES = 20;

/** Reads what a webhook or a connection has done, newest first. @param path Path of the list. */
export function useLog<T extends { readonly id: string }>(
  queryKey: readonly string[],
  path: string,
): UseInfiniteQueryResult<readonly T[]> {
  return useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam: page, signal }) =>
      dataRequest<readonly T[]>('GET', path, { query: { page, limit: ENTRIES }, signal }),
    initialPageParam: 1,
    getNextPageParam: ({ meta }) =>
      meta && meta.page < meta.totalPages ? meta.page + 1 : undefined,
    // New entries move the others to later pages, so that some come twice.
    select: ({ pages }) => [
      ...new Map(pages.flatMap(({ data }) => data.map((one) => [one.id, one]))).values(),
    ],
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? HEALTH_MS : false),
  });
}
