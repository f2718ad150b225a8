import { queryOptions } from '@tanstack/react-query';
import { request } from '../api/client';
import type { ApiKey } from '../api/types';
import { queryClient, type Query } from '../query-client';

/** Path of the user's own keys. */
export const OWN_KEYS = '/keys';

/** Path of the keys of a service account. */
export const keysOfService = (userId: string): string => `/service-accounts/${userId}/keys`;

/** Keys at a path, newest first. */
export const keysQueryAt = (path: string): Query<readonly ApiKey[]> =>
  queryOptions({
    queryKey: ['keys', path],
    queryFn: async ({ signal }) => (await request<readonly ApiKey[]>('GET', path, { signal })).data,
  });

/** The user's own keys, newest first. */
export const keysQuery = keysQueryAt(OWN_KEYS);

/** Reloads after any change or failure, because the response to a created key may be lost. */
export const reloadKeys = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: ['keys'] });
