/** Types of the console API. Dates are ISO 8601 in UTC. */

export type Role = 'member' | 'viewer' | 'editor' | 'admin' | 'owner';

/** A role that a user can have in one workspace. */
export type WorkspaceRole = 'viewer' | 'editor' | 'admin';

export interface SessionUser {
  readonly id: string;
  readonly email: string;
  /** Role in the account. On the pages of a workspace, the role there if it is higher. */
  readonly role: Role;
  /** Roles in single workspaces by their ids. */
  readonly workspaceRoles: Readonly<Record<string, WorkspaceRole>>;
}

export interface Session {
  readonly user: SessionUser;
  readonly account: { readonly id: string; readonly name: string };
  /**
   * Whether the account requires a second factor and the user has none. Then only the calls of sessions, factors
   * and the password are allowed. An instance of the previous release does not send it.
   */
  readonly lacksSecondFactor?: boolean;
  /**
   * Provider that started the session. Until `provesUntil`, the user need not sign in again for a change. An instance
   * of the previous release does not send it.
   */
  readonly provider?: {
    readonly id: string;
    readonly name: string;
    readonly provesUntil: string;
  } | null;
  readonly csrfToken: string;
  readonly expiresAt: string;
}

/** Accounts of one email address and password. The sign-in chooses one of them. */
export interface AccountChoice {
  readonly accounts: readonly { readonly id: string; readonly name: string }[];
}

/** A user whose password is right must also send a code, or use a passkey instead. */
export interface FactorChoice {
  readonly factors: readonly string[];
}

/** A session of the user. */
export interface SessionRecord {
  readonly id: string;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly userAgent: string | null;
  readonly address: string | null;
  readonly isCurrent: boolean;
}

export interface Invite {
  readonly email: string;
  readonly accountName: string;
  readonly kind: 'invite' | 'reset';
  readonly expiresAt: string;
}

export interface User {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly suspended: boolean;
  /** True for a service account: it has keys, but nobody can sign in as it. */
  readonly isService: boolean;
  readonly hasPassword: boolean;
  /** Whether sign-ins ask for a second factor. */
  readonly hasSecondFactor: boolean;
  readonly createdAt: string;
  readonly workspaceRoles: readonly {
    readonly workspaceId: string;
    readonly role: WorkspaceRole;
  }[];
}

/** A one-time link, which the owner sends to the user. */
export interface InviteLink {
  readonly url: string;
  readonly expiresAt: string;
}

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly lastFour: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** The key that a rotation created in place of this one. */
  readonly replacedById: string | null;
  /** Permissions such as `rows:read`; `null` for all of the user. */
  readonly scopes: readonly string[] | null;
  /** What the key is limited to. It is not limited if both are `null`. */
  readonly workspaceIds: readonly string[] | null;
  readonly datagridIds: readonly string[] | null;
  readonly state: 'active' | 'expired' | 'revoked';
}

/** A new key in full, which is returned only once. */
export interface NewApiKey extends ApiKey {
  readonly key: string;
}

export interface RotatedApiKey extends NewApiKey {
  readonly replaced: ApiKey;
}

export interface UsageDay {
  /** Such as `2026-11-21`, in UTC. */
  readonly day: string;
  readonly requests: number;
  readonly rejections: number;
}
