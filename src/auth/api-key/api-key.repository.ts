import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import type { KeyCaller } from '../../common/caller/app-request';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { WORKSPACE_ROLES_OF_USER } from '../user/workspace-role.repository';
import { ApiKeyEntity } from './api-key.entity';

const CALLER = `
  k.id AS "keyId", NULL AS "sessionId", u.id AS "userId", u.account_id AS "accountId", u.role,
  ${WORKSPACE_ROLES_OF_USER} AS "workspaceRoles",
  k.scopes, k.workspace_ids AS "workspaceIds", k.datagrid_ids AS "datagridIds",
  k.audience, u.suspended OR a.suspended AS suspended`;

const FIND_CALLERS: Statement = {
  name: 'api-key-find-callers',
  text: `
    SELECT encode(k.hash, 'hex') AS hash, ${CALLER},
      extract(epoch FROM now() - k.last_used_at)::float8 AS "usedAgoSeconds",
      extract(epoch FROM k.expires_at - now())::float8 AS "expiresInSeconds"
    FROM api_keys k
    JOIN users u ON u.id = k.user_id
    JOIN accounts a ON a.id = u.account_id
    WHERE k.hash = ANY($1::bytea[]) AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > now())`,
};

const FIND_CALLER: Statement = {
  name: 'api-key-find-caller',
  text: `
    SELECT ${CALLER}
    FROM api_keys k
    JOIN users u ON u.id = k.user_id
    JOIN accounts a ON a.id = u.account_id
    WHERE k.id = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
      AND ($2::bytea IS NULL OR k.hash = $2)`,
};

const TOUCH: Statement = {
  name: 'api-key-touch',
  text: `
    UPDATE api_keys SET last_used_at = now()
    WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - make_interval(secs => $2))`,
};

/**
 * Truncates the new expiry to milliseconds, so that a key that expires at once (0 seconds) is
 * expired for every reader as soon as this commits.
 */
const EXPIRE: Statement = {
  name: 'api-key-expire',
  text: `
    UPDATE api_keys
    SET expires_at = least(expires_at, date_trunc('milliseconds', now()) + make_interval(secs => $2)),
      replaced_by_id = $3
    WHERE id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
    RETURNING id, user_id AS "userId", name, hash, prefix, last_four AS "lastFour",
      created_at AS "createdAt", last_used_at AS "lastUsedAt", expires_at AS "expiresAt",
      revoked_at AS "revokedAt", replaced_by_id AS "replacedById",
      scopes, workspace_ids AS "workspaceIds", datagrid_ids AS "datagridIds", audience`,
};

const COUNT_ACTIVE: Statement = {
  name: 'api-key-count-active',
  text: `
    SELECT count(*)::int AS count FROM api_keys
    WHERE user_id = $1 AND audience IS NULL AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > now())`,
};

/** Selects a user's inactive keys except the `$2` that ended last. */
const LIST_OLD: Statement = {
  name: 'api-key-list-old',
  text: `
    SELECT id FROM api_keys
    WHERE user_id = $1 AND audience IS NULL AND (revoked_at IS NOT NULL OR expires_at <= now())
    ORDER BY coalesce(revoked_at, expires_at) DESC, id DESC OFFSET $2`,
};

const DELETE: Statement = {
  name: 'api-key-delete',
  text: 'DELETE FROM api_keys WHERE user_id = $1 AND id = ANY($2::uuid[])',
};

export interface FoundCaller extends KeyCaller {
  /** Seconds since the stored last use; `null` if none is stored. */
  readonly usedAgoSeconds: number | null;
  /** `null` if the key does not expire. */
  readonly expiresInSeconds: number | null;
}

@Injectable()
export class ApiKeyRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns the callers whose keys have these hashes (in hexadecimal), by hash. Omits revoked and
   * expired keys.
   */
  async findCallers(hashes: readonly string[]): Promise<ReadonlyMap<string, FoundCaller>> {
    const values = [hashes.map((hash) => `\\x${hash}`)];
    const found = await this.database.run<FoundCaller & { hash: string }>(FIND_CALLERS, values);
    return new Map(
      found.map(({ hash, ...caller }) => [
        hash,
        caller.audience === null ? caller : { ...caller, tokenHash: hash },
      ]),
    );
  }

  /**
   * Returns the key's caller; `null` if the key is unknown, revoked or expired.
   * @param tokenHash Hash that the key must still have, in hexadecimal.
   */
  async findCaller(keyId: string, tokenHash?: string): Promise<KeyCaller | null> {
    const hash = tokenHash === undefined ? null : `\\x${tokenHash}`;
    const [found] = await this.database.run<KeyCaller>(FIND_CALLER, [keyId, hash]);
    return found ?? null;
  }

  /** Stores the time of use, unless another replica has stored a recent one. */
  async touch(keyId: string, staleAfterSeconds: number): Promise<void> {
    await this.database.run(TOUCH, [keyId, staleAfterSeconds]);
  }

  async insert(key: Omit<ApiKeyEntity, 'user'>): Promise<void> {
    await this.database.repository(ApiKeyEntity).insert(key);
  }

  async find(id: string): Promise<ApiKeyEntity | null> {
    return this.database.repository(ApiKeyEntity).findOneBy({ id });
  }

  /** Lists all keys of a user, oldest first. Tokens of applications are no keys. */
  async listOf(userId: string): Promise<ApiKeyEntity[]> {
    const where = { userId, audience: IsNull() };
    return this.database.repository(ApiKeyEntity).find({ where, order: { id: 'ASC' } });
  }

  /** Returns the number of a user's keys that are neither revoked nor expired. */
  async countActive(userId: string): Promise<number> {
    const [row] = await this.database.run<{ count: number }>(COUNT_ACTIVE, [userId]);
    return row?.count ?? 0;
  }

  /** Deletes a user's revoked and expired keys except the last `keep`. @returns their ids. */
  async deleteOld(userId: string, keep: number): Promise<string[]> {
    const old = await this.database.run<{ id: string }>(LIST_OLD, [userId, keep]);
    const ids = old.map(({ id }) => id);
    if (ids.length > 0) await this.database.run(DELETE, [userId, ids]);
    return ids;
  }

  /**
   * Lets an active key expire within `seconds`, or earlier if it already does.
   * @param replacedById Key that replaces it.
   * @returns `null` if the key is not active.
   */
  async expireWithin(
    id: string,
    seconds: number,
    replacedById: string,
  ): Promise<Omit<ApiKeyEntity, 'user'> | null> {
    const values = [id, seconds, replacedById];
    const [expiring] = await this.database.run<Omit<ApiKeyEntity, 'user'>>(EXPIRE, values);
    return expiring ?? null;
  }

  /**
   * Revokes a key. A key that is already revoked keeps its time.
   * @returns whether the key was not revoked before.
   */
  async revoke(id: string): Promise<boolean> {
    const { affected } = await this.database
      .repository(ApiKeyEntity)
      .update({ id, revokedAt: IsNull() }, { revokedAt: () => 'now()' });
    return affected === 1;
  }
}
