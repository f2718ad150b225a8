import type { ApiKeyRecord } from '../../auth/api-key/api-key.service';
import type { UsageDay } from '../../auth/key-usage/key-usage.repository';
import { apiKeyState, type ApiKeyState } from '../../auth/api-key/api-key-state';

/**
 * Metadata of a key, for its owner. Does not contain the key itself. Times are printed as RFC 3339.
 */
export interface KeyView extends Omit<ApiKeyRecord, 'userId'> {
  readonly state: ApiKeyState;
}

/** A new key, including the full key. Only this response contains it. */
export interface NewKeyView extends KeyView {
  readonly key: string;
}

export interface RotatedKeyView extends NewKeyView {
  readonly replaced: KeyView;
}

/** Calls of a key by day in UTC, oldest first. */
export interface KeyUsage {
  readonly days: readonly UsageDay[];
}

export function keyView(record: ApiKeyRecord): KeyView {
  const { id, name, prefix, lastFour, createdAt, lastUsedAt, expiresAt, revokedAt } = record;
  const state = apiKeyState(record);
  return { id, name, prefix, lastFour, createdAt, lastUsedAt, expiresAt, revokedAt, state };
}
