import { queryOptions } from '@tanstack/react-query';
import { request } from '../api/client';
import type { Role, WorkspaceRole } from '../api/types';
import { queryClient } from '../query-client';

/** A token with which the directory of a company provisions users. */
export interface ScimToken {
  readonly id: string;
  readonly name: string;
  readonly lastFour: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
  readonly isExpired: boolean;
}

/** A new token. It is shown once. */
export interface NewScimToken extends ScimToken {
  readonly token: string;
  /** Address of SCIM, for the administrator of the directory. */
  readonly url: string;
}

/** A group of the directory, and the roles of its members. */
export interface DirectoryGroup {
  readonly id: string;
  readonly displayName: string;
  readonly memberCount: number;
  readonly role: Role | null;
  readonly workspaceRoles: readonly {
    readonly workspaceId: string;
    readonly role: WorkspaceRole;
  }[];
}

export const scimTokensQuery = queryOptions({
  queryKey: ['scim', 'tokens'],
  queryFn: async ({ signal }) =>
    (await request<readonly ScimToken[]>('GET', '/scim/tokens', { signal })).data,
});

export const reloadScim = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: ['scim'] });
