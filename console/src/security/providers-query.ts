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

/** An identity provider by which users sign in. */
export interface Provider {
  readonly id: string;
  readonly kind: 'openid' | 'saml';
  readonly name: string;
  readonly issuer: string;
  /** `null` for a SAML provider. */
  readonly clientId: string | null;
  /** `null` for an OpenID provider. */
  readonly ssoUrl: string | null;
  readonly certificates: readonly { readonly pem: string; readonly expiresAt: string }[];
  /** Role of users who sign in for the first time; `null` if only invited users may. */
  readonly newUserRole: Role | null;
  /** Domains of the email addresses of people who are offered the provider. */
  readonly newUserDomains: readonly string[];
  readonly trustsEmail: boolean;
  readonly groupsClaim: string;
  readonly groupRoles: readonly GroupRole[];
  /** What its administrator must enter. */
  readonly redirectUri: string;
  /** `null` for an OpenID provider. */
  readonly entityId: string | null;
  /** `null` for a SAML provider. */
  readonly logoutUri: string | null;
  readonly signInUrl: string;
}

export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: async ({ signal }) =>
    (await request<readonly Provider[]>('GET', '/providers', { signal })).data,
});

export const reloadProviders = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: providersQuery.queryKey });
