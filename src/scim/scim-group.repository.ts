import { Injectable } from '@nestjs/common';
import { foldName } from '../common/text/id';
import { Database } from '../platform/database/database';
import { QueryPool } from '../platform/database/query-pool';
import type { Statement } from '../platform/database/text-query';
import type { Filter } from './scim-filter';
import { groupFilterSql, isIndexed } from './scim-filter-sql';
import { ScimGroupEntity } from './scim.entity';

/** The groups of a page whose members, after those of the groups before, are not too many. The first one always is. */
const PAGE = `
  SELECT g.id, g.display_name AS "displayName", g.external_id AS "externalId", g.role,
    g.workspace_roles AS "workspaceRoles", g.version, g.created_at AS "createdAt",
    g.updated_at AS "updatedAt"`;

const MEMBERS: Statement = {
  name: 'scim-group-members',
  text: `
    SELECT m.group_id AS "groupId", m.user_id AS "userId"
    FROM scim_group_members m JOIN scim_groups g ON g.id = m.group_id
    WHERE g.account_id = $1 AND m.group_id = ANY($2::uuid[])
    ORDER BY m.group_id, m.user_id`,
};

const MEMBER_COUNTS: Statement = {
  name: 'scim-group-member-counts',
  text: `
    SELECT m.group_id AS "groupId", count(*)::int AS count
    FROM scim_group_members m JOIN scim_groups g ON g.id = m.group_id
    WHERE g.account_id = $1 AND m.group_id = ANY($2::uuid[])
    GROUP BY m.group_id`,
};

/** Only users whom the directory sees can be members. */
const KNOWN_USERS: Statement = {
  name: 'scim-group-known-users',
  text: `
    SELECT u.id FROM users u LEFT JOIN scim_users s ON s.user_id = u.id
    WHERE u.account_id = $1 AND u.id = ANY($2::uuid[]) AND NOT u.is_service
      AND (s.user_id IS NOT NULL OR NOT u.suspended)`,
};

/** Takes over members who were invited by hand, so that SCIM knows which roles it has given to them. */
const TAKE_OVER: Statement = {
  name: 'scim-group-take-over',
  text: `
    INSERT INTO scim_users (account_id, user_id, user_name, user_name_key, attributes, updated_at)
    SELECT u.account_id, u.id, u.email, u.email_key, jsonb_build_object('emails',
      jsonb_build_array(jsonb_build_object('value', u.email, 'type', 'work', 'primary', true))), now()
    FROM users u WHERE u.account_id = $1 AND u.id = ANY($2::uuid[])
      AND NOT EXISTS (SELECT FROM scim_users s WHERE s.user_id = u.id)
    RETURNING user_id AS id, user_name AS email`,
};

const ADD: Statement = {
  name: 'scim-group-add-members',
  text: `
    INSERT INTO scim_group_members (group_id, user_id)
    SELECT $1, id FROM unnest($2::uuid[]) id
    ON CONFLICT DO NOTHING RETURNING user_id AS id`,
};

const REMOVE: Statement = {
  name: 'scim-group-remove-members',
  text: `
    DELETE FROM scim_group_members WHERE group_id = $1 AND user_id = ANY($2::uuid[])
    RETURNING user_id AS id`,
};

const KEEP_ONLY: Statement = {
  name: 'scim-group-keep-members',
  text: `
    DELETE FROM scim_group_members WHERE group_id = $1 AND NOT user_id = ANY($2::uuid[])
    RETURNING user_id AS id`,
};

/** Workspaces that the groups of an account map, without those of group `$2`. */
const MAPPED_WORKSPACES: Statement = {
  name: 'scim-group-mapped-workspaces',
  text: `
    SELECT DISTINCT jsonb_object_keys(workspace_roles) AS id
    FROM scim_groups WHERE account_id = $1 AND id <> $2`,
};

const PUT: Statement = {
  name: 'scim-group-put',
  text: `
    UPDATE scim_groups SET display_name = $3, display_name_key = $4, external_id = $5,
      version = version + 1, updated_at = now()
    WHERE account_id = $1 AND id = $2`,
};

export type ScimGroupRecord = Omit<ScimGroupEntity, 'account' | 'accountId' | 'displayNameKey'>;

interface Id {
  readonly id: string;
}

/** A user who was invited by hand, and whom the directory manages now. */
export interface TakenUser extends Id {
  readonly email: string;
}

@Injectable()
export class ScimGroupRepository {
  constructor(
    private readonly database: Database,
    private readonly queries: QueryPool,
  ) {}

  async find(accountId: string, id: string): Promise<ScimGroupRecord | null> {
    return this.database.repository(ScimGroupEntity).findOneBy({ accountId, id });
  }

  async count(accountId: string): Promise<number> {
    return this.database.repository(ScimGroupEntity).countBy({ accountId });
  }

  /** Lists a page of groups, oldest first, as users are listed. @returns it with the number of all groups. */
  async list(
    accountId: string,
    filter: Filter | null,
    offset: number,
    limit: number,
  ): Promise<{ readonly groups: ScimGroupRecord[]; readonly total: number }> {
    const values: unknown[] = [accountId];
    const add = (value: unknown): string => `$${String(values.push(value))}`;
    const found = `FROM scim_groups g WHERE g.account_id = $1${
      filter ? ` AND ${groupFilterSql(filter, add)}` : ''
    }`;
    const counted = `SELECT count(*)::int AS total ${found}`;
    const kind = isIndexed(filter, 'groups') ? 'indexed' : 'scan';
    const [{ total } = { total: 0 }] = await this.queries.run<{ total: number }>(
      ...([accountId, counted, values, kind] as const),
    );
    if (limit === 0 || offset >= total) return { groups: [], total };
    const page = `${PAGE} ${found} ORDER BY g.id LIMIT ${add(limit)}::int OFFSET ${add(offset)}::int`;
    const groups = await this.queries.run<ScimGroupRecord>(accountId, page, values, kind);
    return { groups, total };
  }

  /** Returns the IDs of the members by group. */
  async members(accountId: string, ids: readonly string[]): Promise<Map<string, string[]>> {
    const found = await this.database.run<{ groupId: string; userId: string }>(MEMBERS, [
      accountId,
      ids,
    ]);
    const members = new Map<string, string[]>(ids.map((id) => [id, []]));
    for (const { groupId, userId } of found) members.get(groupId)?.push(userId);
    return members;
  }

  /** Returns the number of members by group. Leaves out groups without members. */
  async memberCounts(accountId: string, ids: readonly string[]): Promise<Map<string, number>> {
    const found = await this.database.run<{ groupId: string; count: number }>(MEMBER_COUNTS, [
      accountId,
      ids,
    ]);
    return new Map(found.map(({ groupId, count }) => [groupId, count]));
  }

  async insert(group: Omit<ScimGroupEntity, 'account' | 'displayNameKey'>): Promise<void> {
    const displayNameKey = foldName(group.displayName);
    await this.database.repository(ScimGroupEntity).insert({ ...group, displayNameKey });
  }

  /** Stores what the directory says, as a new version. */
  async put(
    accountId: string,
    id: string,
    { displayName, externalId }: Pick<ScimGroupRecord, 'displayName' | 'externalId'>,
  ): Promise<void> {
    const values = [accountId, id, displayName, foldName(displayName), externalId];
    await this.database.run(PUT, values);
  }

  async map(
    accountId: string,
    id: string,
    roles: Pick<ScimGroupRecord, 'role' | 'workspaceRoles'>,
  ): Promise<void> {
    await this.database.repository(ScimGroupEntity).update({ accountId, id }, roles);
  }

  /** Returns the ID of each workspace that the groups of an account map, without those of one group. */
  async mappedWorkspaces(accountId: string, exceptId: string): Promise<string[]> {
    const found = await this.database.run<Id>(MAPPED_WORKSPACES, [accountId, exceptId]);
    return found.map(({ id }) => id);
  }

  async delete(accountId: string, id: string): Promise<void> {
    await this.database.repository(ScimGroupEntity).delete({ accountId, id });
  }

  /** Returns which of the users the directory of the account sees. */
  async knownUsers(accountId: string, ids: readonly string[]): Promise<Set<string>> {
    const found = await this.database.run<Id>(KNOWN_USERS, [accountId, ids]);
    return new Set(found.map(({ id }) => id));
  }

  /** Takes over those of some users who were invited by hand. @returns them. */
  async takeOver(accountId: string, ids: readonly string[]): Promise<TakenUser[]> {
    return this.database.run<TakenUser>(TAKE_OVER, [accountId, ids]);
  }

  /** Adds users of the account, whom the directory manages. @returns those who were no members. */
  async add(groupId: string, ids: readonly string[]): Promise<string[]> {
    return (await this.database.run<Id>(ADD, [groupId, ids])).map(({ id }) => id);
  }

  /** @returns those who were members. */
  async remove(groupId: string, ids: readonly string[]): Promise<string[]> {
    return (await this.database.run<Id>(REMOVE, [groupId, ids])).map(({ id }) => id);
  }

  /** Removes all members except some. @returns those who are no members anymore. */
  async keepOnly(groupId: string, ids: readonly string[]): Promise<string[]> {
    return (await this.database.run<Id>(KEEP_ONLY, [groupId, ids])).map(({ id }) => id);
  }
}
