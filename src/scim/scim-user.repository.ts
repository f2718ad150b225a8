import { Injectable } from '@nestjs/common';
import type { Role } from '../common/permission/permission';
import { foldName } from '../common/text/id';
import { Database } from '../platform/database/database';
import { QueryPool } from '../platform/database/query-pool';
import type { Statement } from '../platform/database/text-query';
import type { Filter } from './scim-filter';
import { isIndexed, userFilterSql } from './scim-filter-sql';
import type { Resource } from './scim-schema';
import { ScimUserEntity } from './scim.entity';

/**
 * Users that a directory sees: people with what it has said about them, and those who were invited by hand. Who is
 * suspended and unknown to it was removed, by it or by an owner.
 */
const USERS = `
  FROM users u LEFT JOIN scim_users s ON s.user_id = u.id
  WHERE u.account_id = $1 AND NOT u.is_service AND (s.user_id IS NOT NULL OR NOT u.suspended)`;

const COLUMNS = `
  u.id, u.email, u.role, u.suspended, u.created_at AS "createdAt",
  s.user_id IS NOT NULL AS "isManaged", s.user_name AS "userName", s.external_id AS "externalId",
  s.attributes, coalesce(s.updated_at, u.created_at) AS "updatedAt"`;

const FIND: Statement = {
  name: 'scim-user-find',
  text: `SELECT ${COLUMNS} ${USERS} AND u.id = $2`,
};

/** Finds users who have the name or the address, whether the directory sees them or not. Each part has an index. */
const FIND_NAMED: Statement = {
  name: 'scim-user-find-named',
  text: `
    SELECT u.id, u.email, u.is_service AS "isService", s.user_id IS NOT NULL AS "isManaged",
      u.suspended, u.email_key = $3 AS "hasEmail"
    FROM (
      SELECT user_id AS id FROM scim_users WHERE account_id = $1 AND user_name_key = $2
      UNION SELECT id FROM users WHERE account_id = $1 AND email_key = $3
    ) n JOIN users u ON u.id = n.id LEFT JOIN scim_users s ON s.user_id = u.id
    WHERE u.account_id = $1
    ORDER BY (s.user_id IS NOT NULL) DESC, u.id`,
};

const PUT: Statement = {
  name: 'scim-user-put',
  text: `
    INSERT INTO scim_users (account_id, user_id, user_name, user_name_key, external_id, attributes,
      given_role, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, now())
    ON CONFLICT ON CONSTRAINT scim_users_pkey DO UPDATE SET user_name = excluded.user_name,
      user_name_key = excluded.user_name_key, external_id = excluded.external_id,
      attributes = excluded.attributes, updated_at = excluded.updated_at`,
};

const TOUCH_GROUPS: Statement = {
  name: 'scim-user-touch-groups',
  text: `
    UPDATE scim_groups SET version = version + 1, updated_at = now()
    WHERE account_id = $1 AND id IN (SELECT group_id FROM scim_group_members WHERE user_id = $2)`,
};

const LEAVE_GROUPS: Statement = {
  name: 'scim-user-leave-groups',
  text: 'DELETE FROM scim_group_members WHERE user_id = $1',
};

/** A user as a directory sees them. */
export interface ScimUserRecord {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly suspended: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Whether the directory has said anything about the user. The next three are `null` if not. */
  readonly isManaged: boolean;
  readonly userName: string | null;
  readonly externalId: string | null;
  readonly attributes: Resource | null;
}

/** A user with a name or an address. */
export interface NamedUser {
  readonly id: string;
  readonly email: string;
  readonly isService: boolean;
  readonly isManaged: boolean;
  readonly suspended: boolean;
  /** Whether the user has the address, and not only the name. */
  readonly hasEmail: boolean;
}

/** What a directory says about a user. */
export interface ScimUserRow {
  readonly accountId: string;
  readonly userId: string;
  readonly userName: string;
  readonly externalId: string | null;
  readonly attributes: Resource;
  /** Role of a user whom the directory has just created. Otherwise `null`. */
  readonly givenRole: Role | null;
}

@Injectable()
export class ScimUserRepository {
  constructor(
    private readonly database: Database,
    private readonly queries: QueryPool,
  ) {}

  async find(accountId: string, id: string): Promise<ScimUserRecord | null> {
    const [found] = await this.database.run<ScimUserRecord>(FIND, [accountId, id]);
    return found ?? null;
  }

  /** Returns the users with this name or this address, at most two. First is who is known to the directory. */
  async listNamed(accountId: string, userName: string, email: string): Promise<NamedUser[]> {
    const values = [accountId, foldName(userName), foldName(email)];
    return this.database.run<NamedUser>(FIND_NAMED, values);
  }

  /**
   * Lists a page of users, oldest first. A filter may take long, so that it has a timeout.
   * @returns it with the number of all users.
   * @throws QueryTimeoutError; AppError as `QueryPool.run`.
   */
  async list(
    accountId: string,
    filter: Filter | null,
    offset: number,
    limit: number,
  ): Promise<{ readonly users: ScimUserRecord[]; readonly total: number }> {
    const values: unknown[] = [accountId];
    const add = (value: unknown): string => `$${String(values.push(value))}`;
    const found = `${USERS}${filter ? ` AND ${userFilterSql(filter, add)}` : ''}`;
    const counted = `SELECT count(*)::int AS total ${found}`;
    const kind = isIndexed(filter, 'users') ? 'indexed' : 'scan';
    const [{ total } = { total: 0 }] = await this.queries.run<{ total: number }>(
      ...([accountId, counted, values, kind] as const),
    );
    if (limit === 0 || offset >= total) return { users: [], total };
    const page = `SELECT ${COLUMNS} ${found}
      ORDER BY u.id LIMIT ${add(limit)}::int OFFSET ${add(offset)}::int`;
    const users = await this.queries.run<ScimUserRecord>(accountId, page, values, kind);
    return { users, total };
  }

  /** Stores what the directory says. */
  async put(row: ScimUserRow): Promise<void> {
    const { accountId, userId, userName, externalId, attributes, givenRole } = row;
    await this.database.run(PUT, [
      ...[accountId, userId, userName, foldName(userName), externalId],
      ...[JSON.stringify(attributes), givenRole],
    ]);
  }

  /** Removes a user from all groups. Use inside a transaction. */
  async leaveGroups(accountId: string, userId: string): Promise<void> {
    await this.database.run(TOUCH_GROUPS, [accountId, userId]);
    await this.database.run(LEAVE_GROUPS, [userId]);
  }

  async delete(accountId: string, userId: string): Promise<void> {
    await this.database.repository(ScimUserEntity).delete({ accountId, userId });
  }
}
