import { Injectable } from '@nestjs/common';
import { fieldError, invalidRequest } from '../../common/error/app-error';
import type { Role, WorkspaceRole } from '../../common/permission/permission';
import { type Actor, auditTarget } from '../audit/audit-action';
import { AuditService } from '../audit/audit.service';
import { PermissionRepository } from '../permission/permission.repository';
import type { UserRecord } from './user.repository';
import {
  type WorkspaceGrant,
  type WorkspaceRoleRecord,
  WorkspaceRoleRepository,
} from './workspace-role.repository';

/** What a user may do. */
export interface UserAccess {
  readonly accountId: string;
  readonly role: Role;
  /** Roles in single workspaces by their ids. */
  readonly workspaceRoles: Readonly<Record<string, WorkspaceRole>>;
}

/** Roles of users in single workspaces, which add to their role in the account. */
@Injectable()
export class WorkspaceRoleService {
  constructor(
    private readonly repository: WorkspaceRoleRepository,
    private readonly permissions: PermissionRepository,
    private readonly audit: AuditService,
  ) {}

  /** Lists the roles of all users of an account, also those in workspaces in the trash. */
  async listOf(accountId: string): Promise<WorkspaceRoleRecord[]> {
    return this.repository.listOf(accountId);
  }

  /** Lists the roles of one user, also those in workspaces in the trash. */
  async listOfUser(userId: string): Promise<WorkspaceGrant[]> {
    return this.repository.listOfUser(userId);
  }

  /** Returns what a user may do. */
  async accessOf({ id, accountId, role }: UserRecord): Promise<UserAccess> {
    const own = await this.listOfUser(id);
    const entries = own.map((grant) => [grant.workspaceId, grant.role] as const);
    return { accountId, role, workspaceRoles: Object.fromEntries(entries) };
  }

  /**
   * Returns the roles of a user in single workspaces with those of `grants`, for `replace`. Unknown workspaces are left
   * out.
   * @returns `null` if the user has the roles of `grants`.
   */
  async merge(
    { id, accountId }: UserRecord,
    grants: readonly WorkspaceGrant[],
  ): Promise<WorkspaceGrant[] | null> {
    if (grants.length === 0) return null;
    const ids = grants.map(({ workspaceId }) => workspaceId);
    const known = new Set(await this.permissions.listWorkspaces(accountId, ids));
    const roles = new Map(
      (await this.listOfUser(id)).map(({ workspaceId, role }) => [workspaceId, role]),
    );
    const changed = grants.filter(
      ({ workspaceId, role }) => known.has(workspaceId) && roles.get(workspaceId) !== role,
    );
    for (const { workspaceId, role } of changed) roles.set(workspaceId, role);
    if (changed.length === 0) return null;
    return [...roles].map(([workspaceId, role]) => ({ workspaceId, role }));
  }

  /**
   * Replaces all roles of a user in single workspaces. Roles in workspaces in the trash can stay, but
   * not be added. Use inside a transaction.
   * @throws AppError `invalid_request` for an unknown workspace.
   */
  async replace(user: UserRecord, grants: readonly WorkspaceGrant[], by: Actor): Promise<void> {
    const { accountId, id, email } = user;
    const wanted = grants.map(({ workspaceId, role }) => ({
      workspaceId: workspaceId.toLowerCase(),
      role,
    }));
    const ids = wanted.map(({ workspaceId }) => workspaceId);
    const before = await this.listOfUser(id);
    const known = before.map(({ workspaceId }) => workspaceId);
    await this.requireWorkspaces(accountId, ids, 'workspaceRoles', known);
    await this.repository.replace(id, wanted);
    const roles = wanted.map(({ workspaceId, role }) => `${workspaceId}:${role}`).join(' ');
    const target = auditTarget('user', id, email);
    const action = 'user_workspace_roles_changed';
    await this.audit.record(accountId, by, action, target, { details: { roles } });
  }

  /**
   * Requires workspaces of an account.
   * @param field Property that the error names.
   * @param known IDs that can stay, although their workspaces may be in the trash.
   * @throws AppError `invalid_request`
   */
  async requireWorkspaces(
    accountId: string,
    ids: readonly string[],
    field: string,
    known: readonly string[] = [],
  ): Promise<void> {
    const found = new Set([
      ...known,
      ...(await this.permissions.listWorkspaces(accountId, [...ids])),
    ]);
    const unknown = ids.filter((workspaceId) => !found.has(workspaceId));
    if (unknown.length > 0) throw unknownWorkspaces(unknown, field);
  }
}

function unknownWorkspaces(ids: readonly string[], field: string): Error {
  return invalidRequest(
    ids.map((id) => fieldError(field, 'not_a_choice', `there is no workspace with the id ${id}`)),
  );
}
