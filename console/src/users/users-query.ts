import { queryOptions } from '@tanstack/react-query';
import { request } from '../api/client';
import type { User } from '../api/types';
import { queryClient } from '../query-client';

export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: async ({ signal }) => (await request<readonly User[]>('GET', '/users', { signal })).data,
});

/** The session shows the reader's own role. */
export async function reloadUsers(): Promise<void> {
  await queryClient.invalidateQueries({ predicate: isOfUsers });
}

const isOfUsers = ({ queryKey }: { queryKey: readonly unknown[] }): boolean =>
  queryKey[0] === 'users' || queryKey[0] === 'session';
