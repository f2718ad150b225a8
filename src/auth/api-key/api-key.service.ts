import { Injectable } from '@nestjs/common';
import { GatheredLookup } from '../../common/async/gathered-lookup';
import type { Caller } from '../../common/caller/caller';
import { AppError, notFound } from '../../common/error/app-error';
import type { Permission } from '../../common/permission/permission';
import { isUuid, newId } from '../../common/text/id';
import { Logger } from '../../platform/logging/logger';
import {
  createApiKeyToken,
  describeApiKeyToken,
  hashApiKeyToken,
  isApiKeyToken,
} from './api-key-token';
import { ChangeNotices } from '../../platform/database/change-notices';
import type { ApiKeyEntity } from './api-key.entity';
import { ApiKeyRepository } from './api-key.repository';
import { requirePermission } from '../require-permission';
import { CallerMemory } from './caller-memory';
import { LAST_USED_EVERY_SECONDS, secondsUntilTouch } from './last-use';

export interface CreatedApiKey {
  readonly id: string;
  /** The whole key. This is the only time anyone sees it. */
  readonly key: string;
}

/** What may be told of a key. */
export type ApiKeyRecord = Omit<ApiKeyEntity, 'hash' | 'user'>;

@Injectable()
export class ApiKeyService {
  /** Keys whose last use this process is writing now: one write is enough. */
  private readonly touching = new Set<string>();

  private readonly callers = new GatheredLookup((hashes) =>
    this.memory.keep(() => this.repository.findCallers(hashes)),
  );

  constructor(
    private readonly repository: ApiKeyRepository,
    private readonly memory: CallerMemory,
    private readonly logger: Logger,
  ) {}

  /**
   * Who sends this key; `null` where it is malformed, unknown, revoked or expired. A key whose
   * checksum is wrong costs no query.
   */
  async authenticate(token: string): Promise<Caller | null> {
    if (!isApiKeyToken(token)) return null;
    const hash = hashApiKeyToken(token).toString('hex');
    const found = this.memory.find(hash) ?? (await this.callers.get(hash));
    if (found && secondsUntilTouch(found) === 0) this.touch(found.keyId);
    return found;
  }

  /**
   * Refuses what takes longer than a request once its key may not do it any more.
   * @throws AppError `unauthenticated`, `account_suspended` or `forbidden`
   */
  async requireStill(keyId: string, permission: Permission): Promise<void> {
    const caller = await this.repository.findCaller(keyId);
    if (!caller) throw new AppError('unauthenticated', 'The API key is no longer valid.');
    requirePermission(caller, permission);
  }

  /** Makes a key for a user; `expiresAt` null means that it lives until it is revoked. */
  async create(userId: string, name: string, expiresAt: Date | null): Promise<CreatedApiKey> {
    const key = createApiKeyToken();
    const id = newId();
    await this.repository.insert({
      id,
      userId,
      name,
      hash: hashApiKeyToken(key),
      ...describeApiKeyToken(key),
      createdAt: new Date(),
      lastUsedAt: null,
      expiresAt,
      revokedAt: null,
    });
    return { id, key };
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

  /** Revokes a key for good; once done, no process accepts it. @throws AppError `not_found` */
  async revoke(id: string): Promise<void> {
    await this.get(id);
    await this.repository.revoke(id);
    await ChangeNotices.settle();
  }

  /** Beside the request, which does not wait for it and does not fail with it. */
  private touch(keyId: string): void {
    if (this.touching.has(keyId)) return;
    this.touching.add(keyId);
    this.repository
      .touch(keyId, LAST_USED_EVERY_SECONDS)
      .catch((error: unknown) => {
        this.logger.pino.warn({ err: error, keyId }, 'the last use of a key was not written');
      })
      .finally(() => this.touching.delete(keyId));
  }
}

function toRecord(key: ApiKeyEntity): ApiKeyRecord {
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
  };
}
