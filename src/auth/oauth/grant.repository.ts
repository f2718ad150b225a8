import { Injectable } from '@nestjs/common';
import type { Audience } from '../../common/caller/app-request';
import type { Scope } from '../../common/permission/scope';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { ApiKeyEntity } from '../api-key/api-key.entity';
import { OauthGrantEntity } from './oauth.entity';

/** A grant whose application has got its first token, for those who may revoke it. */
export interface GrantRecord {
  readonly id: string;
  readonly userId: string;
  readonly accountId: string;
  readonly email: string;
  /** Name of the application. */
  readonly name: string;
  readonly clientId: string;
  readonly documentHost: string | null;
  readonly redirectUri: string;
  readonly audience: Audience;
  readonly scopes: Scope[];
  readonly workspaceIds: string[] | null;
  readonly datagridIds: string[] | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date;
}

/** A grant as the token endpoint sees it, locked. */
export interface LockedGrant {
  readonly id: string;
  readonly userId: string;
  readonly accountId: string;
  readonly email: string;
  readonly name: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly resource: string;
  readonly codeChallenge: string;
  readonly isCodeUsed: boolean;
  readonly isCodeExpired: boolean;
  readonly refreshHash: Buffer | null;
  readonly scopes: Scope[];
  readonly expiresAt: Date;
  /** Whether it is neither revoked nor expired, and its user not suspended. */
  readonly isActive: boolean;
}

const LIVES = 'k.revoked_at IS NULL AND g.expires_at > now()';
/** Its application has got a token. */
const IN_USE = `${LIVES} AND g.code_used_at IS NOT NULL`;
/** A code that was never used leaves a grant that nobody has. */
const COUNTS = `${LIVES} AND (g.code_used_at IS NOT NULL OR g.code_expires_at > now())`;

const LIST = `
  SELECT g.id, g.user_id AS "userId", u.account_id AS "accountId", u.email, k.name,
    g.client_id AS "clientId", g.document_host AS "documentHost", g.redirect_uri AS "redirectUri", k.audience, k.scopes,
    k.workspace_ids AS "workspaceIds", k.datagrid_ids AS "datagridIds",
    g.created_at AS "createdAt", k.last_used_at AS "lastUsedAt", g.expires_at AS "expiresAt"
  FROM oauth_grants g
  JOIN api_keys k ON k.id = g.id
  JOIN users u ON u.id = g.user_id
  WHERE ${IN_USE}`;

const LIST_OF_USER: Statement = {
  name: 'oauth-grant-list-of-user',
  text: `${LIST} AND g.user_id = $1 ORDER BY g.id DESC`,
};
const LIST_OF_ACCOUNT: Statement = {
  name: 'oauth-grant-list-of-account',
  text: `${LIST} AND u.account_id = $1 ORDER BY g.code_used_at IS NULL, g.id DESC OFFSET $2 LIMIT $3`,
};
const COUNT_OF_ACCOUNT: Statement = {
  name: 'oauth-grant-count-of-account',
  text: `
    SELECT count(*)::int AS total FROM oauth_grants g
    JOIN api_keys k ON k.id = g.id
    JOIN users u ON u.id = g.user_id
    WHERE ${IN_USE} AND u.account_id = $1`,
};
const FIND: Statement = { name: 'oauth-grant-find', text: `${LIST} AND g.id = $1` };

const lock = (condition: string): string => `
  SELECT g.id, g.user_id AS "userId", u.account_id AS "accountId", u.email, k.name,
    g.client_id AS "clientId", g.redirect_uri AS "redirectUri", g.resource,
    g.code_challenge AS "codeChallenge", g.code_used_at IS NOT NULL AS "isCodeUsed",
    g.code_expires_at <= now() AS "isCodeExpired", g.refresh_hash AS "refreshHash", k.scopes,
    g.expires_at AS "expiresAt",
    ${LIVES} AND NOT u.suspended AND NOT a.suspended AS "isActive"
  FROM oauth_grants g
  JOIN api_keys k ON k.id = g.id
  JOIN users u ON u.id = g.user_id
  JOIN accounts a ON a.id = u.account_id
  WHERE ${condition}
  FOR UPDATE OF g, k`;

const LOCK_BY_CODE: Statement = { name: 'oauth-grant-by-code', text: lock('g.code_hash = $1') };
const LOCK_BY_FAMILY: Statement = {
  name: 'oauth-grant-by-family',
  text: lock('g.family_hash = $1'),
};
const LOCK_BY_TOKEN: Statement = {
  name: 'oauth-grant-by-token',
  text: lock('k.hash = $1 AND k.audience IS NOT NULL'),
};

const COUNT: Statement = {
  name: 'oauth-grant-count',
  text: `
    SELECT count(*) FILTER (WHERE g.user_id = $1)::int AS "ofUser", count(*)::int AS "ofAccount"
    FROM oauth_grants g
    JOIN api_keys k ON k.id = g.id
    JOIN users u ON u.id = g.user_id
    WHERE u.account_id = $2 AND ${COUNTS}`,
};

/** Deletes a user's grants that no longer count, except the `$2` newest, first of those whose code was used. */
const TRIM: Statement = {
  name: 'oauth-grant-trim',
  text: `
    DELETE FROM oauth_grants WHERE id = ANY(ARRAY(
      SELECT g.id FROM oauth_grants g JOIN api_keys k ON k.id = g.id
      WHERE g.user_id = $1 AND NOT (${COUNTS}) ORDER BY g.id DESC OFFSET $2
    )) RETURNING id`,
};

const DELETE_KEYS: Statement = {
  name: 'oauth-grant-delete-keys',
  text: 'DELETE FROM api_keys WHERE id = ANY($1::uuid[])',
};

const SET_TOKEN: Statement = {
  name: 'oauth-grant-set-token',
  text: `
    UPDATE api_keys k SET hash = $2, prefix = $3, last_four = $4,
      expires_at = least(g.expires_at, now() + make_interval(secs => $5))
    FROM oauth_grants g
    WHERE k.id = $1 AND g.id = k.id AND k.revoked_at IS NULL
    RETURNING extract(epoch FROM k.expires_at - now())::int AS "expiresInSeconds"`,
};

const SET_REFRESH: Statement = {
  name: 'oauth-grant-set-refresh',
  text: `
    UPDATE oauth_grants
    SET code_used_at = coalesce(code_used_at, now()), family_hash = $2, refresh_hash = $3
    WHERE id = $1`,
};

const REVOKE: Statement = {
  name: 'oauth-grant-revoke',
  text: 'UPDATE api_keys SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL RETURNING id',
};

/** An access token as it is stored. */
export interface StoredToken {
  readonly hash: Buffer;
  readonly prefix: string;
  readonly lastFour: string;
}

@Injectable()
export class OauthGrantRepository {
  constructor(private readonly database: Database) {}

  async insert(
    key: Omit<ApiKeyEntity, 'user'>,
    grant: Omit<OauthGrantEntity, 'user' | 'key'>,
  ): Promise<void> {
    await this.database.repository(ApiKeyEntity).insert(key);
    await this.database.repository(OauthGrantEntity).insert(grant);
  }

  /** Lists the grants of a user that are in use, newest first. */
  async listOfUser(userId: string): Promise<GrantRecord[]> {
    return this.database.run<GrantRecord>(LIST_OF_USER, [userId]);
  }

  /** Lists the grants of all users of an account that are in use, newest first, from `offset`. */
  async listOfAccount(accountId: string, offset: number, limit: number): Promise<GrantRecord[]> {
    return this.database.run<GrantRecord>(LIST_OF_ACCOUNT, [accountId, offset, limit]);
  }

  async countOfAccount(accountId: string): Promise<number> {
    const [counted] = await this.database.run<{ total: number }>(COUNT_OF_ACCOUNT, [accountId]);
    return counted?.total ?? 0;
  }

  /** @returns `null` if there is none that is in use. */
  async find(id: string): Promise<GrantRecord | null> {
    return (await this.database.run<GrantRecord>(FIND, [id]))[0] ?? null;
  }

  /** Locks the grant with an authorization code. Use inside a transaction, like the next two. */
  async lockByCode(codeHash: Buffer): Promise<LockedGrant | null> {
    return (await this.database.run<LockedGrant>(LOCK_BY_CODE, [codeHash]))[0] ?? null;
  }

  /** Locks the grant with refresh tokens of a family. */
  async lockByFamily(familyHash: Buffer): Promise<LockedGrant | null> {
    return (await this.database.run<LockedGrant>(LOCK_BY_FAMILY, [familyHash]))[0] ?? null;
  }

  /** Locks the grant with an access token. */
  async lockByToken(hash: Buffer): Promise<LockedGrant | null> {
    return (await this.database.run<LockedGrant>(LOCK_BY_TOKEN, [hash]))[0] ?? null;
  }

  /** Counts the grants of a user, and of the whole account, that are in use or soon may be. */
  async count(
    userId: string,
    accountId: string,
  ): Promise<{ readonly ofUser: number; readonly ofAccount: number }> {
    const values = [userId, accountId];
    const [counts] = await this.database.run<{ ofUser: number; ofAccount: number }>(COUNT, values);
    return counts ?? { ofUser: 0, ofAccount: 0 };
  }

  /** Deletes a user's grants that are over, except the `keep` newest. @returns their ids. */
  async trim(userId: string, keep: number): Promise<string[]> {
    const deleted = await this.database.run<{ id: string }>(TRIM, [userId, keep]);
    const ids = deleted.map(({ id }) => id);
    if (ids.length > 0) await this.database.run(DELETE_KEYS, [ids]);
    return ids;
  }

  /** Replaces the access token. @returns its lifetime in seconds; `null` if the grant is revoked. */
  async setToken(
    id: string,
    { hash, prefix, lastFour }: StoredToken,
    maxSeconds: number,
  ): Promise<number | null> {
    const values = [id, hash, prefix, lastFour, maxSeconds];
    const [set] = await this.database.run<{ expiresInSeconds: number }>(SET_TOKEN, values);
    return set?.expiresInSeconds ?? null;
  }

  /** Replaces the refresh token, and marks the authorization code as used. */
  async setRefresh(id: string, familyHash: Buffer, refreshHash: Buffer): Promise<void> {
    await this.database.run(SET_REFRESH, [id, familyHash, refreshHash]);
  }

  /** @returns whether the grant was not revoked before. */
  async revoke(id: string): Promise<boolean> {
    return (await this.database.run(REVOKE, [id])).length === 1;
  }
}
