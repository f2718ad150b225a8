import { queryOptions } from '@tanstack/react-query';
import { request } from '../api/client';
import type { User } from '../api/types';
import { queryClient } from '../query-client';
import { sessionQuery } from '../session/session-query';

export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: async ({ signal }) => (await request<readonly User[]>('GET', '/users', { signal })).data,
});

/** The session too: it shows the reader's own role. */
export async function reloadUsers(): Promise<void> {
  await Promise.all(
    [usersQuery, sessionQuery].map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })),
  );
}
