import { Injectable } from '@nestjs/common';
import {
  type ApiKeyRecord,
  ApiKeyService,
  apiKeyState,
  type ApiKeyState,
} from '../../auth/api-key/api-key.service';
import { keyAccessOf } from '../../auth/api-key/key-access';
import { readExpiry } from '../../auth/expiry';
import type { UsageDay } from '../../auth/key-usage/key-usage.repository';
import { KeyUsageService, MAX_USAGE_DAYS } from '../../auth/key-usage/key-usage.service';
import type { Caller } from '../../common/caller/app-request';
import type { JsonResponse } from '../../common/envelope/json-response';
import { invalidRequest } from '../../common/error/app-error';
import { wholeList } from '../path-parameters';
import type { CreateKeyDto, RotateKeyDto } from './key.dto';

const USUAL_DAYS = 14;

/**
 * Manages the API keys of one user: the signed-in user, or a service account. The keys of other users
 * are not found.
 */
@Injectable()
export class ConsoleKeyService {
  constructor(
    private readonly keys: ApiKeyService,
    private readonly usages: KeyUsageService,
  ) {}

  /** Lists all of the user's keys, newest first. */
  async list(userId: string): Promise<JsonResponse> {
    return wholeList((await this.keys.listOf(userId)).reverse().map(keyView));
  }

  /**
   * @throws AppError `invalid_request` if `expiresAt` is in the past or too late, or if the user
   *   does not have the access themselves; `quota_exceeded` if the user already has the maximum
   *   number of active keys.
   */
  async create(userId: string, body: CreateKeyDto, by: Caller): Promise<NewKeyView> {
    const { name, expiresAt, scopes = null, workspaceIds = null, datagridIds = null } = body;
    const access = { scopes, workspaceIds, datagridIds };
    const until = readExpiry(expiresAt);
    const { key, record } = await this.keys.create(userId, name, until, by, access);
    return { ...keyView(record), key };
  }

  /** @throws AppError `not_found` */
  async revoke(userId: string, id: string, by: Caller): Promise<void> {
    await this.keys.getOf(userId, id);
    await this.keys.revoke(id, by);
  }

  /**
   * @throws AppError `not_found`; `conflict` if the key is not active; `quota_exceeded` if both
   *   keys would be active and the user already has the maximum number of active keys.
   */
  async rotate(
    userId: string,
    id: string,
    { keepForSeconds }: RotateKeyDto,
    by: Caller,
  ): Promise<RotatedKeyView> {
    const { key, record, replaced } = await this.keys.rotate(userId, id, keepForSeconds, by);
    return { ...keyView(record), key, replaced: keyView(replaced) };
  }

  /**
   * Returns the number of requests with a key on each of the last days in UTC, including today.
   * @param query `days`: 1 to 90, 14 by default.
   * @throws AppError `not_found` or `invalid_request`
   */
  async usage(userId: string, id: string, query: Record<string, unknown>): Promise<KeyUsage> {
    await this.keys.getOf(userId, id);
    return { days: await this.usages.list(id, readDays(query['days'])) };
  }
}

function readDays(text: unknown): number {
  if (text === undefined) return USUAL_DAYS;
  const days = typeof text === 'string' && /^[1-9]\d?$/.test(text) ? Number(text) : Infinity;
  if (days <= MAX_USAGE_DAYS) return days;
  const message = `must be an integer from 1 to ${String(MAX_USAGE_DAYS)}`;
  throw invalidRequest([{ field: 'days', code: 'out_of_range', message }]);
}

/**
 * Metadata of a key, for its owner. Does not contain the key itself. Times are printed as RFC 3339.
 */
export interface KeyView extends Omit<ApiKeyRecord, 'userId' | 'audience'> {
  readonly state: ApiKeyState;
}

/** A new key, including the full key. Only this response contains it. */
export interface NewKeyView extends KeyView {
  readonly key: string;
}

export interface RotatedKeyView extends NewKeyView {
  readonly replaced: KeyView;
}

/** Requests with a key by day in UTC, oldest first. */
export interface KeyUsage {
  readonly days: readonly UsageDay[];
}

function keyView(record: ApiKeyRecord): KeyView {
  const { id, name, prefix, lastFour } = record;
  const { createdAt, lastUsedAt, expiresAt, revokedAt, replacedById } = record;
  const times = { createdAt, lastUsedAt, expiresAt, revokedAt };
  const state = apiKeyState(record);
  return { id, name, prefix, lastFour, ...times, replacedById, ...keyAccessOf(record), state };
}
