import { queryOptions } from '@tanstack/react-query';
import { request } from '../api/client';
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

export const applicationsQuery = (path: string): Query<readonly Application[]> =>
  queryOptions({
    queryKey: ['applications', path],
    queryFn: async ({ signal }) =>
      (await request<readonly Application[]>('GET', path, { signal })).data,
  });

export const reloadApplications = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: ['applications'] });
