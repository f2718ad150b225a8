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
    await this.requireWorkspaces(
      accountId,
      ids,
      before.map(({ workspaceId }) => workspaceId),
    );
    await this.repository.replace(id, wanted);
    const roles = wanted.map(({ workspaceId, role }) => `${workspaceId}:${role}`).join(' ');
    const target = auditTarget('user', id, email);
    const action = 'user_workspace_roles_changed';
    await this.audit.record(accountId, by, action, target, { details: { roles } });
  }

  /**
   * Requires workspaces of an account.
   * @param known IDs that can stay, although their workspaces may be in the trash.
   * @throws AppError `invalid_request`
   */
  async requireWorkspaces(
    accountId: string,
    ids: readonly string[],
    known: readonly string[],
  ): Promise<void> {
    const found = new Set([...known, ...(await this.permissions.listWorkspaces(accountId, ids))]);
    const unknown = ids.filter((workspaceId) => !found.has(workspaceId));
    if (unknown.length > 0) throw unknownWorkspaces(unknown);
  }
}

function unknownWorkspaces(ids: readonly string[]): Error {
  return invalidRequest(
    ids.map((id) =>
      fieldError('workspaceRoles', 'not_a_choice', `there is no workspace with the id ${id}`),
    ),
  );
}
