import { queryOptions } from '@tanstack/react-query';
import { request } from '../api/client';
import type { Role } from '../api/types';
import { queryClient } from '../query-client';

/** A role in the account, or in one workspace, that a group of a provider gives. */
export interface GroupRole {
  readonly group: string;
  readonly role: Role;
  readonly workspaceId?: string;
}

/** An OpenID provider by which users sign in. */
export interface Provider {
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Role of users who sign in for the first time; `null` if only invited users may. */
  readonly newUserRole: Role | null;
  /** Domains of the email addresses of people who are offered the provider. */
  readonly newUserDomains: readonly string[];
  readonly trustsEmail: boolean;
  readonly groupsClaim: string;
  readonly groupRoles: readonly GroupRole[];
  /** What its administrator must enter. */
  readonly redirectUri: string;
  readonly logoutUri: string;
  readonly signInUrl: string;
}

export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: async ({ signal }) =>
    (await request<readonly Provider[]>('GET', '/providers', { signal })).data,
});

export const reloadProviders = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: providersQuery.queryKey });
