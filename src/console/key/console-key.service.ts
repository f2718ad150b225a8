import { Injectable } from '@nestjs/common';
import { ApiKeyService, LATEST_EXPIRY_MS } from '../../auth/api-key/api-key.service';
import { KeyUsageService, MAX_USAGE_DAYS } from '../../auth/key-usage/key-usage.service';
import type { Caller } from '../../common/caller/caller';
import type { BareJson } from '../../common/envelope/bare-json';
import { invalidRequest } from '../../common/error/app-error';
import { wholeList } from '../whole-list';
import { keyView, type KeyUsage, type NewKeyView, type RotatedKeyView } from './key-view';
import type { CreateKeyDto, RotateKeyDto } from './key.dto';

const USUAL_DAYS = 14;

/** API keys of the caller's own: whoever is signed in has theirs, and nobody another's. */
@Injectable()
export class ConsoleKeyService {
  constructor(
    private readonly keys: ApiKeyService,
    private readonly usages: KeyUsageService,
  ) {}

  /** All of them, the latest first. */
  async list({ userId }: Caller): Promise<BareJson> {
    return wholeList((await this.keys.listOf(userId)).reverse().map(keyView));
  }

  /** @throws AppError `invalid_request` where the key would have expired already. */
  async create(caller: Caller, { name, expiresAt }: CreateKeyDto): Promise<NewKeyView> {
    const until = readExpiry(expiresAt);
    const { key, record } = await this.keys.create(caller.userId, name, until, caller);
    return { ...keyView(record), key };
  }

  /** @throws AppError `not_found` */
  async revoke(caller: Caller, id: string): Promise<void> {
    await this.keys.getOf(caller.userId, id);
    await this.keys.revoke(id, caller);
  }

  /** @throws AppError `not_found`, or `conflict` where the key is not active. */
  async rotate(
    caller: Caller,
    id: string,
    { keepForSeconds }: RotateKeyDto,
  ): Promise<RotatedKeyView> {
    const { userId } = caller;
    const { key, record, replaced } = await this.keys.rotate(userId, id, keepForSeconds, caller);
    return { ...keyView(record), key, replaced: keyView(replaced) };
  }

  /**
   * How often a key was used on each of the last days, in UTC and today's included.
   * @param query Its `days`: 1 to 90, or 14 where there is none.
   * @throws AppError `not_found` or `invalid_request`
   */
  async usage({ userId }: Caller, id: string, query: Record<string, unknown>): Promise<KeyUsage> {
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

function readExpiry(text: string | null | undefined): Date | null {
  if (text === undefined || text === null) return null;
  const time = new Date(text).getTime();
  if (time > Date.now() && time < LATEST_EXPIRY_MS) return new Date(time);
  const message = 'must be in the future and before the year 10000';
  throw invalidRequest([{ field: 'expiresAt', code: 'out_of_range', message }]);
}
