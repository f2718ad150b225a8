/**
 * Roles, from least to most powerful. A `member` has no access of their own: only to workspaces in
 * which they have a role.
 */
export const ROLES = ['member', 'viewer', 'editor', 'admin', 'owner'] as const;

export type Role = (typeof ROLES)[number];

/** Roles of service accounts. Only people are owners. */
export const SERVICE_ROLES = [
  'member',
  'viewer',
  'editor',
  'admin',
] as const satisfies readonly Role[];

/** Roles that a user can have in one workspace. */
export const WORKSPACE_ROLES = ['viewer', 'editor', 'admin'] as const satisfies readonly Role[];

export type WorkspaceRole = (typeof WORKSPACE_ROLES)[number];

/** Permissions that routes require, each with the least powerful role that has it. */
const MIN_ROLE = {
  /** Access to resources that concern only the caller, for any active user. */
  'self:read': 'member',
  'self:write': 'member',
  'users:read': 'owner',
  'users:write': 'owner',
  'audit:read': 'owner',
  /** Requests with the keys of all users. Every user can read the requests with their own keys. */
  'requests:read': 'admin',
  'workspaces:read': 'viewer',
  'workspaces:write': 'admin',
  /** Webhooks send data out, and their URLs may contain secrets. */
  'webhooks:read': 'admin',
  'webhooks:write': 'admin',
  /** Connections send data out, with credentials of the account. */
  'connections:read': 'admin',
  'connections:write': 'admin',
  'datagrids:read': 'viewer',
  'datagrids:write': 'admin',
  'views:read': 'viewer',
  'views:write': 'editor',
  /** Public links of views show rows to anybody. */
  'links:read': 'admin',
  'links:write': 'admin',
  'rows:read': 'viewer',
  'rows:write': 'editor',
} as const satisfies Record<string, Role>;

export type Permission = keyof typeof MIN_ROLE;

/** Returns the least powerful role that has `permission`. */
export const minRoleOf = (permission: Permission): Role => MIN_ROLE[permission];

export function roleHas(role: Role, permission: Permission): boolean {
  return rankOf(role) >= rankOf(minRoleOf(permission));
}

export function higherRole(a: Role, b: Role): Role {
  return rankOf(a) >= rankOf(b) ? a : b;
}

const rankOf = (role: Role): number => ROLES.indexOf(role);
