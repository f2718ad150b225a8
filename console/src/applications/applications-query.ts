import { queryOptions } from '@tanstack/react-query';
import { request } from '../api/client';
import { readPage, type PageOf } from '../api/page';
import type { ApiKey } from '../api/types';
import { queryClient, type Query } from '../query-client';

/** An application that has access as a user. */
export interface Application extends Pick<ApiKey, 'scopes' | 'workspaceIds' | 'datagridIds'> {
  readonly id: string;
  readonly name: string;
  /** Host of the metadata document. `null` for a registered application, which may be any. */
  readonly documentHost: string | null;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string;
  readonly user: { readonly id: string; readonly email: string };
}

/** Paths of the applications of the user, and of all users of the account. */
export const OWN = '/applications';
export const OF_ACCOUNT = '/applications/of-account';

export const ownApplicationsQuery: Query<readonly Application[]> = queryOptions({
  queryKey: ['applications', OWN],
  queryFn: async ({ signal }) =>
    (await request<readonly Application[]>('GET', OWN, { signal })).data,
});

export const accountApplicationsQuery = (page: number): Query<PageOf<Application>> =>
  queryOptions({
    queryKey: ['applications', OF_ACCOUNT, String(page)],
    queryFn: ({ signal }) => readPage<Application>(OF_ACCOUNT, page, signal),
  });

export const reloadApplications = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: ['applications'] });
