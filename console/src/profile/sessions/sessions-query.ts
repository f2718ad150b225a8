import { queryOptions } from '@tanstack/react-query';
import { request } from '../../api/client';
import type { SessionRecord } from '../../api/types';
import { queryClient } from '../../query-client';

/** All sessions of the user. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) =>
    (await request<readonly SessionRecord[]>('GET', '/sessions', { signal })).data,
});

export const reloadSessions = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
