import { queryOptions } from '@tanstack/react-query';
import { request } from '../../api/client';
import { queryClient } from '../../query-client';

/** Second factors of the signed-in user. */
export interface Factors {
  readonly totp: { readonly confirmedAt: string } | null;
  readonly recoveryCodes: number;
}

export const factorsQuery = queryOptions({
  queryKey: ['factors'],
  queryFn: async ({ signal }) => (await request<Factors>('GET', '/factors', { signal })).data,
});

export const reloadFactors = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: factorsQuery.queryKey });
