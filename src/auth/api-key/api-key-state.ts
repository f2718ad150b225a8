import type { ApiKeyRecord } from './api-key.service';

export type ApiKeyState = 'active' | 'expired' | 'revoked';

/** Returns whether a key is active now, and if not, why. */
export function apiKeyState({
  revokedAt,
  expiresAt,
}: Pick<ApiKeyRecord, 'revokedAt' | 'expiresAt'>): ApiKeyState {
  if (revokedAt) return 'revoked';
  return expiresAt && expiresAt.getTime() <= Date.now() ? 'expired' : 'active';
}
