import { queryOptions } from '@tanstack/react-query';
import { request } from '../api/client';

/** How the users of the account sign in. */
export interface Security {
  readonly requiresSecondFactor: boolean;
  readonly requiresProvider: boolean;
  /** The only user who may sign in without a provider; `null` if all may. */
  readonly exemptUser: { readonly id: string; readonly email: string } | null;
}

export const securityQuery = queryOptions({
  queryKey: ['security'],
  queryFn: async ({ signal }) => (await request<Security>('GET', '/security', { signal })).data,
});
