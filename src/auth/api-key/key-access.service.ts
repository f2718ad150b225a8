import { Injectable } from '@nestjs/common';
import { fieldError, invalidRequest, type FieldError } from '../../common/error/app-error';
import { higherRole, type Role, roleHas } from '../../common/permission/permission';
import { type Scope, withIncludedScopes } from '../../common/permission/scope';
import { PermissionRepository } from '../permission/permission.repository';
import { UserService } from '../user/user.service';
import { type UserAccess, WorkspaceRoleService } from '../user/workspace-role.service';
import type { KeyAccess } from './key-access';

/** Checks the access of new keys. Each later request checks it again: roles change. */
@Injectable()
export class KeyAccessService {
  constructor(
    private readonly permissions: PermissionRepository,
    private readonly users: UserService,
    private readonly workspaceRoles: WorkspaceRoleService,
  ) {}

  /**
   * Returns the access with all scopes that the given ones include.
   * @throws AppError `invalid_request` if no role of the user has a scope, or if the user has no
   *   access to a workspace or datagrid.
   */
  async resolve(userId: string, access: KeyAccess): Promise<KeyAccess> {
    const { scopes, workspaceIds, datagridIds } = access;
    if (scopes === null && workspaceIds === null && datagridIds === null) return access;
    const { user: owner } = await this.users.getWithAccount(userId);
    const user = await this.workspaceRoles.accessOf(owner);
    const resolved = {
      scopes: scopes && withIncludedScopes(scopes),
      workspaceIds: workspaceIds && folded(workspaceIds),
      datagridIds: datagridIds && folded(datagridIds),
    };
    const errors = [
      ...scopeErrors(user, resolved.scopes ?? []),
      ...(await this.workspaceErrors(user, resolved.workspaceIds ?? [])),
      ...(await this.datagridErrors(user, resolved.datagridIds ?? [])),
    ];
    if (errors.length > 0) throw invalidRequest(errors);
    return resolved;
  }

  private async workspaceErrors(user: UserAccess, ids: readonly string[]): Promise<FieldError[]> {
    if (ids.length === 0) return [];
    const found = new Set(await this.permissions.listWorkspaces(user.accountId, ids));
    const isMissing = (id: string): boolean => !found.has(id) || !hasAccess(user, id);
    const describe = (id: string): FieldError =>
      fieldError('workspaceIds', 'not_a_choice', `there is no workspace with the id ${id}`);
    return ids.filter(isMissing).map(describe);
  }

  private async datagridErrors(user: UserAccess, ids: readonly string[]): Promise<FieldError[]> {
    if (ids.length === 0) return [];
    const datagrids = await this.permissions.listDatagrids(user.accountId, ids);
    const places = new Map(datagrids.map(({ id, workspaceId }) => [id, workspaceId]));
    const isMissing = (id: string): boolean => {
      const workspaceId = places.get(id);
      return workspaceId === undefined || !hasAccess(user, workspaceId);
    };
    const describe = (id: string): FieldError =>
      fieldError('datagridIds', 'unknown_datagrid', `there is no datagrid with the id ${id}`);
    return ids.filter(isMissing).map(describe);
  }
}

/** Returns ids in lower case, each once. */
const folded = (ids: readonly string[]): string[] => [
  ...new Set(ids.map((id) => id.toLowerCase())),
];

function scopeErrors({ role, workspaceRoles }: UserAccess, scopes: readonly Scope[]): FieldError[] {
  const highest = Object.values(workspaceRoles).reduce<Role>(higherRole, role);
  return scopes
    .filter((scope) => !roleHas(highest, scope))
    .map((scope) =>
      fieldError('scopes', 'not_a_choice', `the role ${highest} does not have ${scope}`),
    );
}

function hasAccess({ role, workspaceRoles }: UserAccess, workspaceId: string): boolean {
  return role !== 'member' || workspaceRoles[workspaceId] !== undefined;
}
