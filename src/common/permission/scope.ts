import type { Permission } from './permission';

/**
 * Scopes of an API key, each with the scopes that it includes, because its holder can do the same
 * by other means: a write returns what it wrote; previews of conversions, deliveries of webhooks
 * and public links show values of rows, and a view decides which rows its link shows; deleting a workspace deletes its datagrids; a connection
 * also imports rows, and creates columns for them.
 */
const INCLUDED = {
  'workspaces:read': [],
  'workspaces:write': ['workspaces:read', 'datagrids:read', 'datagrids:write', 'rows:read'],
  'datagrids:read': [],
  'datagrids:write': ['datagrids:read', 'rows:read'],
  'rows:read': [],
  'rows:write': ['rows:read'],
  'views:read': [],
  'views:write': ['views:read', 'rows:read'],
  'links:read': ['rows:read'],
  'links:write': ['links:read', 'views:read', 'rows:read'],
  'webhooks:read': ['rows:read'],
  'webhooks:write': ['webhooks:read', 'rows:read'],
  'connections:read': [],
  'connections:write': [
    'connections:read',
    'datagrids:read',
    'datagrids:write',
    'rows:read',
    'rows:write',
  ],
  'audit:read': [],
} as const satisfies Partial<Record<Permission, readonly Permission[]>>;

/** A permission that an API key can be limited to. */
export type Scope = keyof typeof INCLUDED;

export const SCOPES = Object.keys(INCLUDED) as readonly Scope[];

/** Returns scopes with all that they include, each once, in the order of `SCOPES`. */
export function withIncludedScopes(scopes: readonly Scope[]): Scope[] {
  const all = new Set<Scope>(scopes.flatMap((scope) => [scope, ...INCLUDED[scope]]));
  return SCOPES.filter((scope) => all.has(scope));
}

/** Returns whether a permission concerns only the caller, so that no key lacks it. */
export const isOwn = (permission: Permission): boolean => permission.startsWith('self:');
