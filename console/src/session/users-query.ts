import { queryOptions } from '@tanstack/react-query';
import { request } from '../api/client';
import type { User } from '../api/types';
import { queryClient } from '../query-client';
import { sessionQuery } from './session-query';

export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: async ({ signal }) => (await request<readonly User[]>('GET', '/users', { signal })).data,
});

/** Also reloads the session, which contains the user's role. */
export async function reloadUsers(): Promise<void> {
  await Promise.all(
    [usersQuery, sessionQuery].map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })),
  );
}
