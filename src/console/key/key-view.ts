import type { ApiKeyRecord } from '../../auth/api-key/api-key.service';
import type { UsageDay } from '../../auth/key-usage/key-usage.repository';
import { apiKeyState, type ApiKeyState } from '../../auth/api-key/api-key-state';

/** A key as its owner sees it; never the key itself. Times print as RFC 3339. */
export interface KeyView extends Omit<ApiKeyRecord, 'userId'> {
  readonly state: ApiKeyState;
}

/** At the one time that the key is shown whole. */
export interface NewKeyView extends KeyView {
  readonly key: string;
}

export interface RotatedKeyView extends NewKeyView {
  readonly replaced: KeyView;
}

/** Its calls by day in UTC, the oldest first. */
export interface KeyUsage {
  readonly days: readonly UsageDay[];
}

export function keyView(record: ApiKeyRecord): KeyView {
  const { id, name, prefix, lastFour, createdAt, lastUsedAt, expiresAt, revokedAt } = record;
  const state = apiKeyState(record);
  return { id, name, prefix, lastFour, createdAt, lastUsedAt, expiresAt, revokedAt, state };
}
