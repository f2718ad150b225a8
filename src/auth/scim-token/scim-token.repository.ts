import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { ScimTokenEntity } from './scim-token.entity';

const FIND: Statement = {
  name: 'scim-token-find',
  text: `
    SELECT t.id, t.name, t.account_id AS "accountId", a.suspended,
      extract(epoch FROM now() - t.last_used_at)::float8 AS "usedAgoSeconds"
    FROM scim_tokens t JOIN accounts a ON a.id = t.account_id
    WHERE t.hash = $1 AND (t.expires_at IS NULL OR t.expires_at > now())`,
};

const TOUCH: Statement = {
  name: 'scim-token-touch',
  text: `
    UPDATE scim_tokens SET last_used_at = now()
    WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - make_interval(secs => $2))`,
};

export type ScimTokenRow = Omit<ScimTokenEntity, 'account'>;

export interface FoundScimToken {
  readonly id: string;
  readonly name: string;
  readonly accountId: string;
  /** Whether the account is suspended. */
  readonly suspended: boolean;
  /** Seconds since the stored last use; `null` if none is stored. */
  readonly usedAgoSeconds: number | null;
}

@Injectable()
export class ScimTokenRepository {
  constructor(private readonly database: Database) {}

  /** Returns the token with this hash; `null` if it is unknown or expired. */
  async findByHash(hash: Buffer): Promise<FoundScimToken | null> {
    const [found] = await this.database.run<FoundScimToken>(FIND, [hash]);
    return found ?? null;
  }

  /** Lists the tokens of an account, oldest first. */
  async listOf(accountId: string): Promise<ScimTokenRow[]> {
    return this.database
      .repository(ScimTokenEntity)
      .find({ where: { accountId }, order: { id: 'ASC' } });
  }

  async findIn(accountId: string, id: string): Promise<ScimTokenRow | null> {
    return this.database.repository(ScimTokenEntity).findOneBy({ accountId, id });
  }

  async count(accountId: string): Promise<number> {
    return this.database.repository(ScimTokenEntity).countBy({ accountId });
  }

  async insert(token: ScimTokenRow): Promise<void> {
    await this.database.repository(ScimTokenEntity).insert(token);
  }

  /** @returns whether there was such a token. */
  async delete(accountId: string, id: string): Promise<boolean> {
    const { affected } = await this.database.repository(ScimTokenEntity).delete({ accountId, id });
    return affected === 1;
  }

  /** Stores the time of use, unless another replica has stored a recent one. */
  async touch(id: string, staleAfterSeconds: number): Promise<void> {
    await this.database.run(TOUCH, [id, staleAfterSeconds]);
  }
}
