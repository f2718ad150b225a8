import { Injectable } from '@nestjs/common';
import { BatchLoader } from '../../common/async/batch-loader';
import type { KeyCaller } from '../../common/caller/app-request';
import { AppError, conflict, notFound } from '../../common/error/app-error';
import { isUuid, newId } from '../../common/text/id';
import { AppConfig } from '../../platform/config/app-config';
import { ChangeListener } from '../../platform/database/change-listener';
import { Database } from '../../platform/database/database';
import { Logger } from '../../platform/logging/logger';
import { type Actor, type AuditAction, auditTarget } from '../audit/audit-action';
import { AuditService } from '../audit/audit.service';
import { LATEST_EXPIRY_MS } from '../expiry';
import { KeyUsageService } from '../key-usage/key-usage.service';
import { hashSecretToken } from '../secret-token';
import {
  LAST_USED_EVERY_SECONDS,
  LastUse,
  secondsUntilLastUseIsDue,
} from '../session/session.service';
import { UserService } from '../user/user.service';
import { createApiKeyToken, describeApiKeyToken } from './api-key-token';
import type { ApiKeyEntity } from './api-key.entity';
import { ApiKeyRepository, type FoundCaller } from './api-key.repository';
import { CallerCache } from './caller-cache';
import { accessDetails, keyAccessOf, FULL_ACCESS, type KeyAccess } from './key-access';
import { KeyAccessService } from './key-access.service';

/** Revoked and expired keys kept for each user, so that they can be listed. */
const MAX_INACTIVE_KEYS = 100;

export interface CreatedApiKey {
  readonly id: string;
  /** The full key. It is returned only here. */
  readonly key: string;
  readonly record: ApiKeyRecord;
}

export interface RotatedApiKey extends CreatedApiKey {
  /** The previous key with its new expiry. */
  readonly replaced: ApiKeyRecord;
}

/** Properties of a key that its creator chooses. */
type KeyProperties = KeyAccess & Pick<ApiKeyEntity, 'name' | 'expiresAt'>;

/** An API key without its hash. */
export type ApiKeyRecord = Omit<ApiKeyEntity, 'hash' | 'user'>;

@Injectable()
export class ApiKeyService {
  private readonly lastUse: LastUse;

  private readonly callers = new BatchLoader((hashes) =>
    this.cache.findAndCache(() => this.repository.findCallers(hashes)),
  );

  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly repository: ApiKeyRepository,
    private readonly cache: CallerCache,
    private readonly users: UserService,
    private readonly accesses: KeyAccessService,
    private readonly usages: KeyUsageService,
    private readonly audit: AuditService,
    logger: Logger,
  ) {
    const write = (id: string): Promise<void> => repository.touch(id, LAST_USED_EVERY_SECONDS);
    this.lastUse = new LastUse('key', write, logger);
  }

  /**
   * Returns the caller who owns the key with this hash; `null` if the key is unknown, revoked or
   * expired.
   * @param hash In hexadecimal.
   */
  async authenticate(hash: string): Promise<KeyCaller | null> {
    const found = this.cache.find(hash) ?? (await this.callers.get(hash));
    if (found) this.noteUse(found);
    return found;
  }

  /** Like `authenticate`, from the cache only: `null` if the caller is not cached. */
  findCached(hash: string): KeyCaller | null {
    const found = this.cache.find(hash);
    if (found) this.noteUse(found);
    return found;
  }

  private noteUse(found: FoundCaller): void {
    if (secondsUntilLastUseIsDue(found) === 0) this.lastUse.touch(found.keyId);
  }

  /** Returns the key's caller; `null` if the key is revoked or expired, or has another token by now. */
  async findCaller(keyId: string, tokenHash?: string): Promise<KeyCaller | null> {
    return this.repository.findCaller(keyId, tokenHash);
  }

  /**
   * Creates a key for a user.
   * @param expiresAt `null` for a key that does not expire.
   * @throws AppError `invalid_request` if the user does not have the access themselves;
   *   `quota_exceeded` if the user already has the maximum number of active keys.
   */
  async create(
    userId: string,
    name: string,
    expiresAt: Date | null,
    by: Actor,
    requested: KeyAccess = FULL_ACCESS,
  ): Promise<CreatedApiKey> {
    return this.withinBound(userId, async () => {
      const access = await this.accesses.resolve(userId, requested);
      const created = await this.insert(userId, { name, expiresAt, ...access });
      const until = expiresAt?.toISOString() ?? null;
      const details = { expiresAt: until, ...accessDetails(access) };
      await this.recordOn(created.record, by, 'key_created', details);
      return created;
    });
  }

  /**
   * Runs work that adds a key, under a lock on the user. Undoes it if the user then has more active
   * keys than before and than allowed. Deletes the oldest inactive keys.
   */
  private async withinBound<T>(userId: string, work: () => Promise<T>): Promise<T> {
    const { maxKeysPerUser } = this.config;
    return this.database.transaction(async () => {
      await this.users.lock(userId);
      const before = await this.repository.countActive(userId);
      const result = await work();
      const after = await this.repository.countActive(userId);
      if (after > maxKeysPerUser && after > before) throw tooManyKeys(maxKeysPerUser);
      await this.usages.forget(await this.repository.deleteOld(userId, MAX_INACTIVE_KEYS));
      return result;
    });
  }

  private async insert(
    userId: string,
    properties: KeyProperties,
    id = newId(),
  ): Promise<CreatedApiKey> {
    const key = createApiKeyToken();
    const stored = {
      id,
      userId,
      ...properties,
      hash: hashSecretToken(key),
      ...describeApiKeyToken(key),
      createdAt: new Date(),
      lastUsedAt: null,
      revokedAt: null,
      replacedById: null,
      audience: null,
    };
    await this.repository.insert(stored);
    return { id, key, record: toRecord(stored) };
  }

  async listOf(userId: string): Promise<ApiKeyRecord[]> {
    return (await this.repository.listOf(userId)).map(toRecord);
  }

  /** @throws AppError `not_found` */
  async get(id: string): Promise<ApiKeyRecord> {
    const key = isUuid(id) ? await this.repository.find(id) : null;
    if (!key) throw notFound();
    return toRecord(key);
  }

  /**
   * Creates a new key with the name, access and lifetime of the previous key. The previous key
   * expires after `keepSeconds`, or at its own expiry if that is earlier.
   * @throws AppError `not_found` if the user has no such key, `conflict` if it is not active,
   *   `quota_exceeded` if both keys would be active and the user already has the maximum number of
   *   active keys.
   */
  async rotate(userId: string, id: string, keepSeconds: number, by: Actor): Promise<RotatedApiKey> {
    const rotated = await this.withinBound(userId, async () => {
      const before = await this.getOf(userId, id);
      const newKeyId = newId();
      const replaced = await this.repository.expireWithin(id, keepSeconds, newKeyId);
      if (!replaced) throw conflict('The key is revoked or expired. Create a new key.');
      const expiresAt = sameLifeFromNow(before);
      const created = await this.insert(
        userId,
        { ...keyAccessOf(before), name: before.name, expiresAt },
        newKeyId,
      );
      await this.recordOn(before, by, 'key_rotated', { newKeyId: created.id });
      return { ...created, replaced: toRecord(replaced) };
    });
    await ChangeListener.waitUntilPropagated();
    return rotated;
  }

  /** @throws AppError `not_found` if the user has no such key. */
  async getOf(userId: string, id: string): Promise<ApiKeyRecord> {
    const key = await this.get(id);
    if (key.userId !== userId || key.audience !== null) throw notFound();
    return key;
  }

  /**
   * Revokes a key permanently. When this returns, no process accepts it.
   * @throws AppError `not_found`
   */
  async revoke(id: string, by: Actor): Promise<void> {
    await this.database.transaction(async () => {
      const key = await this.get(id);
      // The grant of an application is revoked as such.
      if (key.audience !== null) throw notFound();
      if (await this.repository.revoke(id)) await this.recordOn(key, by, 'key_revoked', {});
    });
    await ChangeListener.waitUntilPropagated();
  }

  private async recordOn(
    { id, userId, name }: ApiKeyRecord,
    by: Actor,
    action: AuditAction,
    details: Readonly<Record<string, string | null>>,
  ): Promise<void> {
    const { user } = await this.users.getWithAccount(userId);
    const whose = { user: user.email, ...details };
    const target = auditTarget('key', id, name);
    await this.audit.record(user.accountId, by, action, target, { details: whose });
  }
}

function tooManyKeys(max: number): AppError {
  return new AppError(
    'quota_exceeded',
    `A user may have ${String(max)} active API keys. Revoke one first.`,
  );
}

function sameLifeFromNow({ createdAt, expiresAt }: ApiKeyRecord): Date | null {
  if (!expiresAt) return null;
  const lifeMs = expiresAt.getTime() - createdAt.getTime();
  return new Date(Math.min(Date.now() + lifeMs, LATEST_EXPIRY_MS));
}

function toRecord(key: Omit<ApiKeyEntity, 'user'>): ApiKeyRecord {
  return {
    id: key.id,
    userId: key.userId,
    name: key.name,
    prefix: key.prefix,
    lastFour: key.lastFour,
    createdAt: key.createdAt,
    lastUsedAt: key.lastUsedAt,
    expiresAt: key.expiresAt,
    revokedAt: key.revokedAt,
    replacedById: key.replacedById,
    audience: key.audience,
    ...keyAccessOf(key),
  };
}

export type ApiKeyState = 'active' | 'expired' | 'revoked';

/** Returns whether a key is active now, and if not, why. */
export function apiKeyState({
  revokedAt,
  expiresAt,
}: Pick<ApiKeyRecord, 'revokedAt' | 'expiresAt'>): ApiKeyState {
  if (revokedAt) return 'revoked';
  return expiresAt && expiresAt.getTime() <= Date.now() ? 'expired' : 'active';
}
