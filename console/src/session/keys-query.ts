import { queryOptions } from '@tanstack/react-query';
import { request } from '../api/client';
import type { ApiKey } from '../api/types';
import { queryClient } from '../query-client';

/** The user's own keys, newest first. */
export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: async ({ signal }) =>
    (await request<readonly ApiKey[]>('GET', '/keys', { signal })).data,
});

/** Reloads after any change or failure, because the response to a created key may be lost. */
export const reloadKeys = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
