import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import type { Caller } from '../../common/caller/caller';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { ApiKeyEntity } from './api-key.entity';

const CALLER = `
  k.id AS "keyId", u.id AS "userId", u.account_id AS "accountId", u.role,
  u.suspended OR a.suspended AS suspended`;

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
    WHERE k.id = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`,
};

const TOUCH: Statement = {
  name: 'api-key-touch',
  text: `
    UPDATE api_keys SET last_used_at = now()
    WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - make_interval(secs => $2))`,
};

export interface FoundCaller extends Caller {
  /** How long ago the last use was that is written; `null` where none is. */
  readonly usedAgoSeconds: number | null;
  /** `null` where the key lives until it is revoked. */
  readonly expiresInSeconds: number | null;
}

@Injectable()
export class ApiKeyRepository {
  constructor(private readonly database: Database) {}

  /** Whose keys have these hashes (in hex), as far as they are neither revoked nor expired. */
  async findCallers(hashes: readonly string[]): Promise<ReadonlyMap<string, FoundCaller>> {
    const values = [hashes.map((hash) => `\\x${hash}`)];
    const found = await this.database.run<FoundCaller & { hash: string }>(FIND_CALLERS, values);
    return new Map(found.map(({ hash, ...caller }) => [hash, caller]));
  }

  /** Whose key it is; `null` where it is unknown, revoked or expired. */
  async findCaller(keyId: string): Promise<Caller | null> {
    const [found] = await this.database.run<Caller>(FIND_CALLER, [keyId]);
    return found ?? null;
  }

  /** Writes the last use, unless another replica has done so since. */
  async touch(keyId: string, staleAfterSeconds: number): Promise<void> {
    await this.database.run(TOUCH, [keyId, staleAfterSeconds]);
  }

  async insert(key: Omit<ApiKeyEntity, 'user'>): Promise<void> {
    await this.database.repository(ApiKeyEntity).insert(key);
  }

  async find(id: string): Promise<ApiKeyEntity | null> {
    return this.database.repository(ApiKeyEntity).findOneBy({ id });
  }

  /** All keys of a user, the oldest first. */
  async listOf(userId: string): Promise<ApiKeyEntity[]> {
    return this.database.repository(ApiKeyEntity).find({ where: { userId }, order: { id: 'ASC' } });
  }

  /** Revokes a key; one that is revoked already keeps its time. */
  async revoke(id: string): Promise<void> {
    await this.database
      .repository(ApiKeyEntity)
      .update({ id, revokedAt: IsNull() }, { revokedAt: () => 'now()' });
  }
}
