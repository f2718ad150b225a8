import { higherRole, type Role, type WorkspaceRole } from '../../common/permission/permission';
import type { GivenRoles } from '../user/user.service';

/** A role in the account, or in one workspace, that a group of a provider gives. Never `owner`. */
export type GroupRole =
  | { readonly group: string; readonly role: Role }
  | { readonly group: string; readonly workspaceId: string; readonly role: WorkspaceRole };

/** Returns the groups in a claim: a list of strings, or one string. */
export const groupsOf = (claim: unknown): readonly string[] =>
  [claim].flat().filter((group): group is string => typeof group === 'string');

/** Returns the roles that the groups of a person give. */
export function rolesOf(groupRoles: readonly GroupRole[], groups: readonly string[]): GivenRoles {
  let role: Role | null = null;
  const workspaces = new Map<string, WorkspaceRole>();
  for (const given of groupRoles) {
    if (!groups.includes(given.group)) continue;
    if ('workspaceId' in given) {
      const { workspaceId } = given;
      // The higher one of two roles of workspaces.
      const higher = higherRole(given.role, workspaces.get(workspaceId) ?? given.role);
      workspaces.set(workspaceId, higher as WorkspaceRole);
    } else role = higherRole(given.role, role ?? given.role);
  }
  const workspaceRoles = [...workspaces].map(([workspaceId, each]) => ({
    workspaceId,
    role: each,
  }));
  return { role, workspaceRoles };
}
