/** Roles, from least to most powerful. */
export const ROLES = ['viewer', 'editor', 'admin', 'owner'] as const;

export type Role = (typeof ROLES)[number];

/** Permissions that routes require, each with the least powerful role that has it. */
const MIN_ROLE = {
  /** Access to resources that concern only the caller, for any active user. */
  'self:read': 'viewer',
  'self:write': 'viewer',
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
  return ROLES.indexOf(role) >= ROLES.indexOf(minRoleOf(permission));
}
