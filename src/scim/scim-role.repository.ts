import { Injectable } from '@nestjs/common';
import { WORKSPACE_ROLES_OF_USER } from '../auth/user/workspace-role.repository';
import type { Role } from '../common/permission/permission';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';
import type { WorkspaceRoles } from './scim.entity';

/**
 * Locks the users, and reads their roles, those that SCIM has given to them, and those of their groups. Workspaces
 * that are gone do not count.
 */
const LOCK: Statement = {
  name: 'scim-role-lock',
  text: `
    SELECT u.id, u.email, u.role, s.given_role AS "givenRole",
      s.given_workspace_roles AS "givenWorkspaceRoles",
      coalesce(${WORKSPACE_ROLES_OF_USER}, '{}') AS "workspaceRoles",
      ARRAY(
        SELECT DISTINCT g.role FROM scim_group_members m JOIN scim_groups g ON g.id = m.group_id
        WHERE m.user_id = u.id AND g.account_id = $1 AND g.role IS NOT NULL
      ) AS "groupRoles",
      coalesce((
        SELECT jsonb_agg(DISTINCT jsonb_build_array(r.key, r.value))
        FROM scim_group_members m JOIN scim_groups g ON g.id = m.group_id
        CROSS JOIN jsonb_each_text(g.workspace_roles) r
        JOIN workspaces w ON w.id = r.key::uuid AND w.account_id = $1
        WHERE m.user_id = u.id AND g.account_id = $1
      ), '[]') AS "groupWorkspaceRoles"
    FROM users u JOIN scim_users s ON s.user_id = u.id
    WHERE u.account_id = $1 AND u.id = ANY($2::uuid[])
    ORDER BY u.id FOR NO KEY UPDATE OF u`,
};

const SET_ROLES: Statement = {
  name: 'scim-role-set',
  text: `
    UPDATE users u SET role = n.role FROM unnest($2::uuid[], $3::text[]) n (id, role)
    WHERE u.account_id = $1 AND u.id = n.id`,
};

const SET_GIVEN: Statement = {
  name: 'scim-role-set-given',
  text: `
    UPDATE scim_users s SET given_role = n.role, given_workspace_roles = n.roles
    FROM unnest($2::uuid[], $3::text[], $4::jsonb[]) n (id, role, roles)
    WHERE s.account_id = $1 AND s.user_id = n.id`,
};

const REPLACE_WORKSPACE_ROLES: Statement = {
  name: 'scim-role-replace-workspace-roles',
  text: `
    WITH wanted AS (
      SELECT n.id AS user_id, r.key::uuid AS workspace_id, r.value AS role
      FROM unnest($1::uuid[], $2::jsonb[]) n (id, roles) CROSS JOIN jsonb_each_text(n.roles) r
    ), removed AS (
      DELETE FROM workspace_roles r WHERE r.user_id = ANY($1::uuid[])
        AND NOT EXISTS (SELECT FROM wanted n
          WHERE n.user_id = r.user_id AND n.workspace_id = r.workspace_id)
    )
    INSERT INTO workspace_roles (user_id, workspace_id, role)
    SELECT user_id, workspace_id, role FROM wanted
    ON CONFLICT ON CONSTRAINT workspace_roles_pkey DO UPDATE SET role = excluded.role
      WHERE workspace_roles.role <> excluded.role`,
};

/** Roles of a user: their own, those that SCIM gave to them, and those of their groups. */
export interface RoleState {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly givenRole: Role | null;
  readonly workspaceRoles: WorkspaceRoles;
  readonly givenWorkspaceRoles: WorkspaceRoles;
  readonly groupRoles: readonly Role[];
  readonly groupWorkspaceRoles: readonly (readonly [id: string, role: WorkspaceRoles[string]])[];
}

/** Roles that a user gets. */
export interface NewRoles extends Pick<
  RoleState,
  'id' | 'role' | 'givenRole' | 'workspaceRoles' | 'givenWorkspaceRoles'
> {
  readonly hasNewRole: boolean;
  readonly hasNewWorkspaceRoles: boolean;
}

@Injectable()
export class ScimRoleRepository {
  constructor(private readonly database: Database) {}

  /** Locks users of the directory until the end of the transaction. Use inside a transaction. */
  async lock(accountId: string, userIds: readonly string[]): Promise<RoleState[]> {
    return this.database.run<RoleState>(LOCK, [accountId, userIds]);
  }

  /** Use inside a transaction that has locked the users. */
  async set(accountId: string, users: readonly NewRoles[]): Promise<void> {
    await this.database.run(SET_GIVEN, [
      accountId,
      users.map(({ id }) => id),
      users.map(({ givenRole }) => givenRole),
      users.map(({ givenWorkspaceRoles }) => JSON.stringify(givenWorkspaceRoles)),
    ]);
    const roles = users.filter(({ hasNewRole }) => hasNewRole);
    // Each statement clears the caller cache of every process.
    if (roles.length > 0) {
      const ids = roles.map(({ id }) => id);
      await this.database.run(SET_ROLES, [accountId, ids, roles.map(({ role }) => role)]);
    }
    const workspaces = users.filter(({ hasNewWorkspaceRoles }) => hasNewWorkspaceRoles);
    if (workspaces.length > 0) {
      await this.database.run(REPLACE_WORKSPACE_ROLES, [
        workspaces.map(({ id }) => id),
        workspaces.map(({ workspaceRoles }) => JSON.stringify(workspaceRoles)),
      ]);
    }
  }
}
