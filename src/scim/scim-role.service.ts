import { Injectable } from '@nestjs/common';
import { type Actor, type AuditTarget, auditTarget } from '../auth/audit/audit-action';
import { type AuditEntry, AuditService } from '../auth/audit/audit.service';
import { higherRole, type Role, type WorkspaceRole } from '../common/permission/permission';
import { nextTurn } from '../platform/fairness/event-loop-turns';
import type { WorkspaceRoles } from './scim.entity';
import { type NewRoles, type RoleState, ScimRoleRepository } from './scim-role.repository';

/** Role of users of the directory whose groups give them none. */
export const DEFAULT_ROLE: Role = 'viewer';

/** Users of one statement. Each may have a role in each workspace that groups map. */
const SLICE = 100;

/** Users of one change whose new roles are events of their own, so that a directory cannot push out the audit log. */
const MAX_EVENTS = 100;

/** Gives users the roles of their groups. */
@Injectable()
export class ScimRoleService {
  constructor(
    private readonly repository: ScimRoleRepository,
    private readonly audit: AuditService,
  ) {}

  /**
   * Gives users the highest roles of their groups, and takes away those that groups gave to them before. Use inside
   * a transaction that has locked the account.
   * @param cause What the event names that counts the users beyond the first `MAX_EVENTS`.
   * @returns whether the access of a user has changed.
   */
  async apply(
    accountId: string,
    userIds: readonly string[],
    by: Actor,
    cause: AuditTarget,
  ): Promise<boolean> {
    let changed = 0;
    for (let at = 0; at < userIds.length; at += SLICE) {
      await nextTurn(accountId);
      const states = await this.repository.lock(accountId, userIds.slice(at, at + SLICE));
      const changes = states
        .map((before) => ({ before, after: rolesOf(before) }))
        .filter(({ before, after }) => isChange(before, after));
      if (changes.length === 0) continue;
      await this.repository.set(
        accountId,
        changes.map(({ after }) => after),
      );
      const seen = changes.filter(
        ({ after: { hasNewRole, hasNewWorkspaceRoles } }) => hasNewRole || hasNewWorkspaceRoles,
      );
      const named = seen.slice(0, Math.max(0, MAX_EVENTS - changed));
      await this.audit.recordAll(accountId, by, named.flatMap(eventsOf));
      changed += seen.length;
    }
    if (changed > MAX_EVENTS) {
      const details = { users: String(changed - MAX_EVENTS) };
      await this.audit.record(accountId, by, 'scim_roles_changed', cause, { details });
    }
    return changed > 0;
  }
}

/** Returns the roles that a user gets. Owners are made and unmade only in the console. */
export function rolesOf(user: RoleState): NewRoles {
  const { id, givenRole, workspaceRoles: own, givenWorkspaceRoles: given } = user;
  const [first, ...others] = user.groupRoles;
  // Who loses a group must not get more access by that: a member has none but that of workspaces.
  const losesRole = givenRole === user.role && user.role !== 'member';
  const fallback = losesRole ? DEFAULT_ROLE : user.role;
  const wanted = first === undefined ? fallback : others.reduce(higherRole, first);
  const role = user.role === 'owner' ? 'owner' : wanted;
  const isGiven = role !== 'owner' && (first !== undefined || givenRole === user.role);
  const groups = new Map<string, WorkspaceRole>();
  for (const [workspaceId, each] of user.groupWorkspaceRoles) {
    const before = groups.get(workspaceId) ?? each;
    groups.set(workspaceId, higherRole(before, each) as WorkspaceRole);
  }
  // What an owner has changed by hand since is theirs.
  const byHand = Object.entries(own).filter(([workspaceId, each]) => given[workspaceId] !== each);
  const workspaceRoles = { ...Object.fromEntries(byHand), ...Object.fromEntries(groups) };
  return {
    ...{ id, role, givenRole: isGiven ? role : null },
    ...{ workspaceRoles, givenWorkspaceRoles: Object.fromEntries(groups) },
    hasNewRole: role !== user.role,
    hasNewWorkspaceRoles: !areEqual(own, workspaceRoles),
  };
}

const isChange = (before: RoleState, after: NewRoles): boolean =>
  after.hasNewRole ||
  after.hasNewWorkspaceRoles ||
  after.givenRole !== before.givenRole ||
  !areEqual(before.givenWorkspaceRoles, after.givenWorkspaceRoles);

function areEqual(a: WorkspaceRoles, b: WorkspaceRoles): boolean {
  const [keys, others] = [Object.keys(a), Object.keys(b)];
  return keys.length === others.length && keys.every((key) => a[key] === b[key]);
}

/** Returns the events that an owner's change of the same roles would have. */
function eventsOf({
  before,
  after,
}: {
  readonly before: RoleState;
  readonly after: NewRoles;
}): AuditEntry[] {
  const target = auditTarget('user', before.id, before.email);
  const roles = Object.entries(after.workspaceRoles)
    .map(([workspaceId, role]) => `${workspaceId}:${role}`)
    .sort()
    .join(' ');
  return [
    ...(after.hasNewRole
      ? [
          {
            action: 'user_role_changed' as const,
            target,
            details: { from: before.role, to: after.role },
          },
        ]
      : []),
    ...(after.hasNewWorkspaceRoles
      ? [{ action: 'user_workspace_roles_changed' as const, target, details: { roles } }]
      : []),
  ];
}
