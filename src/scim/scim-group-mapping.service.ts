import { Injectable } from '@nestjs/common';
import { type Actor, auditTarget } from '../auth/audit/audit-action';
import { AuditService } from '../auth/audit/audit.service';
import { quotaExceeded } from '../auth/quota/quota.service';
import type { WorkspaceGrant } from '../auth/user/workspace-role.repository';
import { WorkspaceRoleService } from '../auth/user/workspace-role.service';
import { notFound } from '../common/error/app-error';
import type { Role } from '../common/permission/permission';
import { isUuid } from '../common/text/id';
import { ScimChanges } from './scim-changes';
import { type ScimGroupRecord, ScimGroupRepository } from './scim-group.repository';
import { ScimRoleService } from './scim-role.service';

const MAX_MAPPED_WORKSPACES = 100;

/** Roles that a group gives to its members. */
export interface GroupMapping {
  /** `null` for none. Never `owner`. */
  readonly role: Role | null;
  readonly workspaceRoles: readonly WorkspaceGrant[];
}

/** A group, for owners. */
export interface MappedGroup extends GroupMapping {
  readonly id: string;
  readonly displayName: string;
  readonly memberCount: number;
}

export interface MappedGroupPage {
  readonly groups: readonly MappedGroup[];
  readonly total: number;
}

/** Maps groups of the directory to roles. */
@Injectable()
export class ScimGroupMappingService {
  constructor(
    private readonly changes: ScimChanges,
    private readonly repository: ScimGroupRepository,
    private readonly roles: ScimRoleService,
    private readonly workspaceRoles: WorkspaceRoleService,
    private readonly audit: AuditService,
  ) {}

  /** Returns a page of the groups of an account, oldest first. */
  async list(accountId: string, offset: number, limit: number): Promise<MappedGroupPage> {
    const { groups, total } = await this.repository.list(accountId, null, offset, limit);
    const views = await this.changes.read(accountId, () => this.views(accountId, groups));
    return { groups: views, total };
  }

  /**
   * Sets the roles of a group, and gives them to its members.
   * @param isAllowed Throws if the originator may not do it anymore.
   * @throws AppError `not_found`; `invalid_request` for an unknown workspace; `quota_exceeded`.
   */
  async map(
    accountId: string,
    id: string,
    { role, workspaceRoles }: GroupMapping,
    by: Actor,
    isAllowed: () => Promise<void>,
  ): Promise<MappedGroup> {
    const entries = workspaceRoles.map(
      (each) => [each.workspaceId.toLowerCase(), each.role] as const,
    );
    const wanted = { role, workspaceRoles: Object.fromEntries(entries) };
    const { group } = await this.changes.run(accountId, async () => {
      const before = isUuid(id) ? await this.repository.find(accountId, id) : null;
      if (!before) throw notFound('Group');
      await isAllowed();
      await this.workspaceRoles.requireWorkspaces(
        accountId,
        Object.keys(wanted.workspaceRoles),
        'workspaceRoles',
        Object.keys(before.workspaceRoles),
      );
      await this.repository.map(accountId, id, wanted);
      await this.requireFewWorkspaces(accountId, id, Object.keys(wanted.workspaceRoles));
      const target = auditTarget('scim_group', id, before.displayName);
      const roles = entries.map(([workspaceId, each]) => `${workspaceId}:${each}`).join(' ');
      const details = { role, roles };
      await this.audit.record(accountId, by, 'scim_group_mapped', target, { details });
      const members = (await this.repository.members(accountId, [id])).get(id) ?? [];
      const isAccessChanged = await this.roles.apply(accountId, members, by, target);
      return { isAccessChanged, group: { ...before, ...wanted } };
    });
    const [view] = await this.changes.read(accountId, () => this.views(accountId, [group]));
    if (!view) throw notFound('Group');
    return view;
  }

  /** Every user may get a role in each of these workspaces. @throws AppError `quota_exceeded` */
  private async requireFewWorkspaces(
    accountId: string,
    id: string,
    wanted: readonly string[],
  ): Promise<void> {
    const others = await this.repository.mappedWorkspaces(accountId, id);
    const added = wanted.some((workspaceId) => !others.includes(workspaceId));
    if (added && new Set([...others, ...wanted]).size > MAX_MAPPED_WORKSPACES)
      throw quotaExceeded('workspaces in which groups give roles', MAX_MAPPED_WORKSPACES);
  }

  private async views(
    accountId: string,
    groups: readonly ScimGroupRecord[],
  ): Promise<MappedGroup[]> {
    const ids = groups.map(({ id }) => id);
    const counts = await this.repository.memberCounts(accountId, ids);
    return groups.map(({ id, displayName, role, workspaceRoles }) => ({
      ...{ id, displayName, memberCount: counts.get(id) ?? 0, role },
      workspaceRoles: Object.entries(workspaceRoles).map(([workspaceId, each]) => ({
        workspaceId,
        role: each,
      })),
    }));
  }
}
