import { Injectable } from '@nestjs/common';
import { type Actor, actorOfDirectory, auditTarget } from '../auth/audit/audit-action';
import { AuditService } from '../auth/audit/audit.service';
import type { Caller } from '../common/caller/app-request';
import type { JsonResponse } from '../common/envelope/json-response';
import { notFound } from '../common/error/app-error';
import { isUuid, newId } from '../common/text/id';
import { onDuplicate } from '../platform/database/database-error';
import { quotaExceeded } from '../auth/quota/quota.service';
import { MAX_MEMBERS, type MemberChange, memberIds, splitMembers } from './scim-member-change';
import { ScimChanges } from './scim-changes';
import { inTime, invalidValue, notUnique } from './scim-error';
import { type ScimGroupRecord, ScimGroupRepository } from './scim-group.repository';
import { patched, readOperations } from './scim-patch';
import {
  emptyResponse,
  isWanted,
  listResponse,
  type Projection,
  type ResourcePage,
  resourceResponse,
  type ScimQuery,
  type ScimRequest,
  type Versioned,
  versioned,
} from './scim-request';
import { ScimRoleService } from './scim-role.service';
import {
  entriesOf,
  GROUP_ATTRIBUTES,
  GROUP_SCHEMA,
  isObject,
  readResource,
  type Resource,
} from './scim-schema';

export const MAX_GROUPS = 1_000;
/** Characters of `displayName` and `externalId`. */
const MAX_NAME_LENGTH = 320;
/** Events that are recorded at once. */
const SLICE = 1_000;
/** Members that a page of groups has, before it ends early. */
const MAX_LISTED_MEMBERS = 10_000;

const NOBODY: MemberChange = { replacesAll: false, added: new Set(), removed: new Set() };

/** Attributes other than members, which are never all in memory with a change. */
const OWN_ATTRIBUTES = GROUP_ATTRIBUTES.filter(({ name }) => name !== 'members');

type GroupProperties = Pick<ScimGroupRecord, 'displayName' | 'externalId'>;

/** Groups of the directory of an account. */
@Injectable()
export class ScimGroupService {
  constructor(
    private readonly changes: ScimChanges,
    private readonly repository: ScimGroupRepository,
    private readonly roles: ScimRoleService,
    private readonly audit: AuditService,
  ) {}

  async list(caller: Caller, { base, query }: ScimRequest): Promise<JsonResponse> {
    const { resources, total } = await this.page(caller, base, query);
    return listResponse(resources, total, query);
  }

  /** Returns a page. It ends early if its groups have very many members. */
  async page({ accountId }: Caller, base: string, query: ScimQuery): Promise<ResourcePage> {
    const { filter, startIndex, count } = query;
    const { groups: found, total } = await inTime(() =>
      this.repository.list(accountId, filter, startIndex - 1, count),
    );
    if (!isWanted('members', query))
      return {
        resources: found.map((group) => resourceOf(group, undefined, base).resource),
        total,
      };
    return this.changes.read(accountId, async () => {
      const groups = await this.first(accountId, found);
      const ids = groups.map(({ id }) => id);
      const members = await this.repository.members(accountId, ids);
      const resources = groups.map((each) => resourceOf(each, members.get(each.id), base).resource);
      return { resources, total };
    });
  }

  /** @throws AppError `not_found` */
  async get(
    { accountId }: Caller,
    id: string,
    { base, query }: ScimRequest,
  ): Promise<JsonResponse> {
    return this.respond(accountId, id, base, query);
  }

  /** @throws AppError `invalid_request`; `conflict`; `quota_exceeded` */
  async create(caller: Caller, body: unknown, { base, query }: ScimRequest): Promise<JsonResponse> {
    const { accountId } = caller;
    const by = actorOfDirectory(caller);
    const wanted = propertiesOf(readResource(body, OWN_ATTRIBUTES));
    const members = memberIds(membersIn(body));
    const id = newId();
    await this.changes.run(accountId, async () => {
      if ((await this.repository.count(accountId)) >= MAX_GROUPS)
        throw quotaExceeded('groups', MAX_GROUPS);
      const now = new Date();
      const group = {
        ...{ id, accountId, ...wanted, role: null, workspaceRoles: {} },
        ...{ version: 1, createdAt: now, updatedAt: now },
      };
      await uniquely(() => this.repository.insert(group));
      const target = auditTarget('scim_group', id, wanted.displayName);
      await this.audit.record(accountId, by, 'scim_group_created', target);
      const change = { ...NOBODY, added: new Set(members) };
      await this.changeMembers(accountId, id, change, by);
      return { isAccessChanged: false };
    });
    return this.respond(accountId, id, base, query, 201);
  }

  /** @throws AppError `not_found`; `invalid_request`; `precondition_failed`; `conflict` */
  async replace(
    caller: Caller,
    id: string,
    body: unknown,
    request: ScimRequest,
  ): Promise<JsonResponse> {
    const { accountId } = caller;
    const wanted = propertiesOf(readResource(body, OWN_ATTRIBUTES));
    const added = new Set(memberIds(membersIn(body)));
    const change = { replacesAll: true, added, removed: new Set<string>() };
    await this.update(caller, id, request, () => Promise.resolve(wanted), change);
    return this.respond(accountId, id, request.base, request.query);
  }

  /**
   * Changes a group. The response has a body only if the directory asks for attributes: a group may have very many
   * members.
   * @throws as `replace`
   */
  async patch(
    caller: Caller,
    id: string,
    body: unknown,
    request: ScimRequest,
  ): Promise<JsonResponse> {
    const { members, others } = splitMembers(readOperations(body));
    const { accountId } = caller;
    const after = async ({
      displayName,
      externalId,
    }: ScimGroupRecord): Promise<GroupProperties> => {
      const before: Resource = { displayName, ...(externalId !== null && { externalId }) };
      const changed = await patched(accountId, before, others, OWN_ATTRIBUTES);
      return propertiesOf(readResource(changed, OWN_ATTRIBUTES));
    };
    const { base, query } = request;
    await this.update(caller, id, request, after, members);
    const isAsked = query.only !== null || query.without.length > 0;
    if (isAsked) return this.respond(accountId, id, base, query);
    const group = await this.changes.read(accountId, () => this.find(accountId, id));
    return emptyResponse({ ETag: etagOf(group) });
  }

  /** Deletes a group. Its members lose the roles that it gave to them. @throws as `replace` */
  async remove(caller: Caller, id: string, { ifMatch }: ScimRequest): Promise<JsonResponse> {
    const { accountId } = caller;
    const by = actorOfDirectory(caller);
    await this.changes.run(accountId, async () => {
      const group = await this.find(accountId, id);
      ifMatch.require(etagOf(group));
      const target = auditTarget('scim_group', id, group.displayName);
      const members = await this.repository.keepOnly(id, []);
      const isAccessChanged = await this.roles.apply(accountId, members, by, target);
      await this.repository.delete(accountId, id);
      await this.audit.record(accountId, by, 'scim_group_deleted', target);
      return { isAccessChanged };
    });
    return emptyResponse();
  }

  /** @param after Returns the group after the change. May take long: it runs before the lock. */
  private async update(
    caller: Caller,
    id: string,
    { ifMatch }: ScimRequest,
    after: (group: ScimGroupRecord) => Promise<GroupProperties>,
    members: MemberChange,
  ): Promise<void> {
    const { accountId } = caller;
    const by = actorOfDirectory(caller);
    const known = await this.changes.read(accountId, () => this.find(accountId, id));
    ifMatch.require(etagOf(known));
    const prepared = await after(known);
    await this.changes.run(accountId, async () => {
      const group = await this.find(accountId, id);
      ifMatch.require(etagOf(group));
      // Another change may have come in between.
      const wanted = group.version === known.version ? prepared : await after(group);
      const { come, gone } = await this.changeMembers(accountId, id, members, by);
      const isRenamed = wanted.displayName !== group.displayName;
      const isSame = !isRenamed && wanted.externalId === group.externalId;
      const changed = [...gone, ...come];
      const target = auditTarget('scim_group', id, group.displayName);
      if (!isSame || changed.length > 0) {
        await uniquely(() => this.repository.put(accountId, id, wanted));
        const details = {
          ...{ added: String(come.length), removed: String(gone.length) },
          ...(isRenamed && { name: wanted.displayName }),
        };
        await this.audit.record(accountId, by, 'scim_group_changed', target, { details });
      }
      return { isAccessChanged: await this.roles.apply(accountId, changed, by, target) };
    });
  }

  /** @returns the IDs of users who became members, and of those who are none anymore. */
  private async changeMembers(
    accountId: string,
    groupId: string,
    { replacesAll, added, removed }: MemberChange,
    by: Actor,
  ): Promise<{ readonly come: readonly string[]; readonly gone: readonly string[] }> {
    const ids = [...added];
    const known = await this.repository.knownUsers(accountId, ids);
    const unknown = ids.find((id) => !known.has(id));
    if (unknown !== undefined) throw invalidValue('members', `no user has the ID ${unknown}`);
    const gone = replacesAll
      ? await this.repository.keepOnly(groupId, ids)
      : await this.repository.remove(groupId, [...removed]);
    const come = ids.length > 0 ? await this.addMembers(accountId, groupId, ids, by) : [];
    const counts = await this.repository.memberCounts(accountId, [groupId]);
    if ((counts.get(groupId) ?? 0) > MAX_MEMBERS)
      throw invalidValue('members', `must have at most ${String(MAX_MEMBERS)} values`);
    return { come, gone };
  }

  /** Adds members. SCIM takes over those who were invited by hand, to know which roles it has given to them. */
  private async addMembers(
    accountId: string,
    groupId: string,
    ids: readonly string[],
    by: Actor,
  ): Promise<string[]> {
    const taken = await this.repository.takeOver(accountId, ids);
    const events = taken.map(({ id, email }) => ({
      action: 'scim_user_taken_over' as const,
      target: auditTarget('user', id, email),
    }));
    for (let at = 0; at < events.length; at += SLICE)
      await this.audit.recordAll(accountId, by, events.slice(at, at + SLICE));
    return this.repository.add(groupId, ids);
  }

  /** Returns the groups whose members fit on a page, at least one. */
  private async first(
    accountId: string,
    groups: readonly ScimGroupRecord[],
  ): Promise<readonly ScimGroupRecord[]> {
    const ids = groups.map(({ id }) => id);
    const counts = await this.repository.memberCounts(accountId, ids);
    let left = MAX_LISTED_MEMBERS;
    const end = groups.findIndex(({ id }, index) => {
      left -= counts.get(id) ?? 0;
      return left < 0 && index > 0;
    });
    return end === -1 ? groups : groups.slice(0, end);
  }

  private async respond(
    accountId: string,
    id: string,
    base: string,
    projection: Projection,
    status?: number,
  ): Promise<JsonResponse> {
    const hasMembers = isWanted('members', projection);
    const { group, members } = await this.changes.read(accountId, async () => ({
      group: await this.find(accountId, id),
      members: hasMembers ? (await this.repository.members(accountId, [id])).get(id) : undefined,
    }));
    return resourceResponse(resourceOf(group, members, base), projection, status);
  }

  /** Use with a permit of the database gate. */
  private async find(accountId: string, id: string): Promise<ScimGroupRecord> {
    const group = isUuid(id) ? await this.repository.find(accountId, id) : null;
    if (!group) throw notFound('Group');
    return group;
  }
}

const uniquely = <T>(work: () => Promise<T>): Promise<T> =>
  onDuplicate('scim_groups_display_name', () => notUnique('displayName'), work);

function membersIn(body: unknown): unknown {
  const entries = isObject(body) ? entriesOf(body, 'body') : [];
  return entries.find(([name]) => name.toLowerCase() === 'members')?.[1];
}

/** @throws AppError `invalid_request` */
function propertiesOf({ displayName, externalId = null }: Resource): GroupProperties {
  if (typeof displayName !== 'string' || displayName.trim() === '')
    throw invalidValue('displayName', 'is required');
  for (const [name, value] of [
    ['displayName', displayName] as const,
    ['externalId', externalId] as const,
  ])
    if (typeof value === 'string' && value.length > MAX_NAME_LENGTH)
      throw invalidValue(name, `must have at most ${String(MAX_NAME_LENGTH)} characters`);
  return { displayName, externalId: externalId as string | null };
}

const etagOf = ({ version }: ScimGroupRecord): string => `"${String(version)}"`;

function resourceOf(
  group: ScimGroupRecord,
  members: readonly string[] | undefined,
  base: string,
): Versioned {
  const { id, displayName, externalId, createdAt, updatedAt } = group;
  return versioned(
    {
      ...{ schemas: [GROUP_SCHEMA], id, displayName },
      ...(externalId !== null && { externalId }),
      ...(members && {
        members: members.map((value) => ({ value, $ref: `${base}/Users/${value}`, type: 'User' })),
      }),
    },
    {
      ...{ resourceType: 'Group', created: createdAt, lastModified: updatedAt },
      location: `${base}/Groups/${id}`,
    },
    etagOf(group),
  );
}
