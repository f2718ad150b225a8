import { queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { request } from '../api/client';
import type { ApiKey, UsageDay } from '../api/types';
import { queryClient } from '../query-client';

export const USAGE_DAYS = 14;

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: async ({ signal }) =>
    (await request<readonly ApiKey[]>('GET', '/keys', { signal })).data,
});

/** Requests with one key by day, oldest first. */
export function useKeyUsage(keyId: string): UseQueryResult<readonly UsageDay[]> {
  return useQuery({
    queryKey: ['key-usage', keyId],
    queryFn: async ({ signal }) => {
      const options = { query: { days: USAGE_DAYS }, signal };
      const path = `/keys/${keyId}/usage`;
      return (await request<{ days: readonly UsageDay[] }>('GET', path, options)).data.days;
    },
  });
}

/** Reloads after any change or failure, because the response to a created key may be lost. */
export const reloadKeys = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
