import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { request } from '../../api/client';
import type { UsageDay } from '../../api/types';

export const USAGE_DAYS = 14;

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
