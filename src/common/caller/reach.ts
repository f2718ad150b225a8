import type { Caller } from './app-request';

/** Returns whether the key is limited to some workspaces or datagrids. */
export function isLimitedKey({ workspaceIds, datagridIds }: Caller): boolean {
  return workspaceIds !== null || datagridIds !== null;
}

/** Returns the ids of the workspaces that a caller may list; `null` for all of the account. */
export function reachableWorkspaces(caller: Caller): readonly string[] | null {
  const byRole = caller.role === 'member' ? Object.keys(caller.workspaceRoles ?? {}) : null;
  if (!isLimitedKey(caller)) return byRole;
  const byKey = caller.workspaceIds ?? [];
  return byRole === null ? byKey : byKey.filter((id) => byRole.includes(id));
}
