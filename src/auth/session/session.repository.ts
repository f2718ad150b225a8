import { Injectable } from '@nestjs/common';
import { In, Not } from 'typeorm';
import type { SessionCaller } from '../../common/caller/app-request';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { WORKSPACE_ROLES_OF_USER } from '../user/workspace-role.repository';
import { SessionEntity } from './session.entity';

export type SessionRow = Omit<SessionEntity, 'user'>;

/** Days without a request after which a session expires. */
export const MAX_IDLE_DAYS = 7;

/** Hours after which a user must sign in again for some changes. */
const RECENT_HOURS = 1;

/** Returns the SQL condition of a session that has not expired. @param table Its table or alias. */
export const sessionLives = (table: string): string => `${table}.expires_at > now()
  AND ${table}.last_used_at > now() - interval '${String(MAX_IDLE_DAYS)} days'`;

const LIVES = sessionLives('s');

const find = (condition: string): string => `
  SELECT s.id AS "sessionId", NULL AS "keyId", u.id AS "userId", u.account_id AS "accountId",
    u.role, ${WORKSPACE_ROLES_OF_USER} AS "workspaceRoles",
    NULL AS scopes, NULL AS "workspaceIds", NULL AS "datagridIds",
    u.suspended OR a.suspended AS suspended,
    a.requires_second_factor AND s.provider_id IS NULL AND NOT EXISTS (
      SELECT FROM user_totps WHERE user_id = u.id AND confirmed_at IS NOT NULL
    ) AND NOT EXISTS (SELECT FROM user_passkeys WHERE user_id = u.id) AS "lacksSecondFactor",
    s.proven_at > now() - interval '${String(RECENT_HOURS)} hours' AS "hasRecentSignIn",
    extract(epoch FROM now() - s.last_used_at)::float8 AS "usedAgoSeconds"
  FROM sessions s
  JOIN users u ON u.id = s.user_id
  JOIN accounts a ON a.id = u.account_id
  WHERE ${condition} AND ${LIVES}
    AND (a.exempt_user_id IS NULL OR a.exempt_user_id = u.id OR s.provider_id IS NOT NULL)`;

const FIND_BY_TOKEN: Statement = { name: 'session-by-token', text: find('s.token_hash = $1') };
const FIND_BY_ID: Statement = { name: 'session-by-id', text: find('s.id = $1') };

const LIST: Statement = {
  name: 'session-list',
  text: `
    SELECT id, created_at AS "createdAt", last_used_at AS "lastUsedAt", expires_at AS "expiresAt",
      user_agent AS "userAgent", address, provider_id AS "providerId"
    FROM sessions s WHERE user_id = $1 AND ${LIVES} ORDER BY id DESC`,
};

const TOUCH: Statement = {
  name: 'session-touch',
  text: `
    UPDATE sessions SET last_used_at = now()
    WHERE id = $1 AND last_used_at < now() - make_interval(secs => $2)`,
};

const TRIM: Statement = {
  name: 'session-trim',
  text: `
    DELETE FROM sessions WHERE user_id = $1 AND id = ANY(ARRAY(
      SELECT id FROM sessions WHERE user_id = $1 ORDER BY last_used_at DESC, id DESC OFFSET $2
    ))`,
};

const END_WITHOUT_PROVIDER: Statement = {
  name: 'session-end-without-provider',
  text: `
    DELETE FROM sessions WHERE provider_id IS NULL
      AND user_id IN (SELECT id FROM users WHERE account_id = $1 AND id <> $2)`,
};

export interface FoundSession extends SessionCaller {
  /** Seconds since the stored last use. */
  readonly usedAgoSeconds: number;
}

export type SessionRecord = Omit<
  SessionRow,
  'tokenHash' | 'userId' | 'provenAt' | 'providerSessionId'
>;

/** A person who has left a provider. */
export interface ProviderPerson {
  readonly userId: string | null;
  readonly providerSessionId: string | null;
}

@Injectable()
export class SessionRepository {
  constructor(private readonly database: Database) {}

  async findByToken(tokenHash: Buffer): Promise<FoundSession | null> {
    const [found] = await this.database.run<FoundSession>(FIND_BY_TOKEN, [tokenHash]);
    return found ?? null;
  }

  async findById(id: string): Promise<FoundSession | null> {
    const [found] = await this.database.run<FoundSession>(FIND_BY_ID, [id]);
    return found ?? null;
  }

  /** Lists a user's sessions that have not expired, newest first. */
  async listOf(userId: string): Promise<SessionRecord[]> {
    return this.database.run<SessionRecord>(LIST, [userId]);
  }

  async insert(session: SessionRow): Promise<void> {
    await this.database.repository(SessionEntity).insert(session);
  }

  /** Deletes a user's sessions except the `keep` most recently used. */
  async trim(userId: string, keep: number): Promise<void> {
    await this.database.run(TRIM, [userId, keep]);
  }

  /** Stores the time of use, unless another replica has stored a recent one. */
  async touch(id: string, staleAfterSeconds: number): Promise<void> {
    await this.database.run(TOUCH, [id, staleAfterSeconds]);
  }

  /** @returns whether there was such a session. */
  async delete(userId: string, id: string): Promise<boolean> {
    const { affected } = await this.database.repository(SessionEntity).delete({ id, userId });
    return (affected ?? 0) > 0;
  }

  async deleteByToken(tokenHash: Buffer): Promise<void> {
    await this.database.repository(SessionEntity).delete({ tokenHash });
  }

  async setProven(id: string): Promise<void> {
    await this.database.repository(SessionEntity).update({ id }, { provenAt: new Date() });
  }

  /** Deletes the sessions of all users of an account but one that no provider started. */
  async deleteWithoutProvider(accountId: string, exemptUserId: string): Promise<void> {
    await this.database.run(END_WITHOUT_PROVIDER, [accountId, exemptUserId]);
  }

  async deleteOfProvider(providerId: string): Promise<void> {
    await this.database.repository(SessionEntity).delete({ providerId });
  }

  /** Deletes sessions that a provider started. `null` is for all users, or all sessions. @returns their ids */
  async deleteOfPerson(
    providerId: string,
    { userId, providerSessionId }: ProviderPerson,
  ): Promise<string[]> {
    const sessions = this.database.repository(SessionEntity);
    const found = await sessions.find({
      select: { id: true },
      where: {
        providerId,
        ...(userId !== null && { userId }),
        ...(providerSessionId !== null && { providerSessionId }),
      },
    });
    const ids = found.map(({ id }) => id);
    if (ids.length > 0) await sessions.delete({ id: In(ids) });
    return ids;
  }

  /** Deletes all of a user's sessions except one; `null` deletes all. */
  async deleteOthers(userId: string, keepId: string | null): Promise<void> {
    await this.database
      .repository(SessionEntity)
      .delete({ userId, ...(keepId !== null && { id: Not(keepId) }) });
  }
}
