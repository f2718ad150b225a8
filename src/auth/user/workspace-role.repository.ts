import { Injectable } from '@nestjs/common';
import type { WorkspaceRole } from '../../common/permission/permission';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { WorkspaceRoleEntity } from './workspace-role.entity';

/** SQL expression: roles of the user `u` by workspace, as an object; NULL if there are none. */
export const WORKSPACE_ROLES_OF_USER = `(
  SELECT jsonb_object_agg(r.workspace_id, r.role) FROM workspace_roles r WHERE r.user_id = u.id
)`;

const LIST: Statement = {
  name: 'workspace-role-list',
  text: `
    SELECT r.user_id AS "userId", r.workspace_id AS "workspaceId", r.role
    FROM workspace_roles r
    JOIN users u ON u.id = r.user_id
    JOIN workspaces w ON w.id = r.workspace_id AND w.account_id = u.account_id
    WHERE u.account_id = $1
    ORDER BY r.user_id, r.workspace_id`,
};

const LIST_OF_USER: Statement = {
  name: 'workspace-role-list-of-user',
  text: `
    SELECT workspace_id AS "workspaceId", role FROM workspace_roles
    WHERE user_id = $1 ORDER BY workspace_id`,
};

const REPLACE: Statement = {
  name: 'workspace-role-replace',
  text: `
    WITH removed AS (
      DELETE FROM workspace_roles WHERE user_id = $1 AND NOT workspace_id = ANY($2::uuid[])
    )
    INSERT INTO workspace_roles (user_id, workspace_id, role)
    SELECT $1, n.workspace_id, n.role FROM unnest($2::uuid[], $3::text[]) n (workspace_id, role)
    ON CONFLICT ON CONSTRAINT workspace_roles_pkey DO UPDATE SET role = excluded.role`,
};

export type WorkspaceRoleRecord = Omit<WorkspaceRoleEntity, 'user'>;

/** A role in one workspace. */
export interface WorkspaceGrant {
  readonly workspaceId: string;
  readonly role: WorkspaceRole;
}

@Injectable()
export class WorkspaceRoleRepository {
  constructor(private readonly database: Database) {}

  /** Lists the roles of all users of an account. */
  async listOf(accountId: string): Promise<WorkspaceRoleRecord[]> {
    return this.database.run<WorkspaceRoleRecord>(LIST, [accountId]);
  }

  async listOfUser(userId: string): Promise<WorkspaceGrant[]> {
    return this.database.run<WorkspaceGrant>(LIST_OF_USER, [userId]);
  }

  /** Replaces all roles of a user. Use inside a transaction that has locked the user. */
  async replace(userId: string, grants: readonly WorkspaceGrant[]): Promise<void> {
    const ids = grants.map(({ workspaceId }) => workspaceId);
    const roles = grants.map(({ role }) => role);
    await this.database.run(REPLACE, [userId, ids, roles]);
  }
}
