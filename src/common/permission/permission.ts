import { ROLES, type Role } from './role';

/** Permissions that routes require, each with the least powerful role that has it. */
const MIN_ROLE = {
  /** For any active user: resources that concern only the caller. */
  'self:read': 'viewer',
  'self:write': 'viewer',
  'users:read': 'owner',
  'users:write': 'owner',
  'audit:read': 'owner',
  'workspaces:read': 'viewer',
  'workspaces:write': 'admin',
  'datagrids:read': 'viewer',
  'datagrids:write': 'admin',
  'rows:read': 'viewer',
  'rows:write': 'editor',
} as const satisfies Record<string, Role>;

export type Permission = keyof typeof MIN_ROLE;

export function roleHas(role: Role, permission: Permission): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(MIN_ROLE[permission]);
}
