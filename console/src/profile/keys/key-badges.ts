import type { ApiKey } from '../../api/types';
import { formatRelative } from '../../common/time';
import { profileText } from '../../text/profile-text';

const t = profileText.keys.badges;

/** A key that expires within this time is marked. */
const SOON_MS = 14 * 86_400_000;

export interface KeyBadge {
  readonly label: string;
  readonly color: 'gray' | 'red' | 'yellow';
}

/** Returns true if the key stops working soon and no other key has replaced it. */
export function isExpiringSoon(key: ApiKey, nowMs = Date.now()): boolean {
  if (key.state !== 'active' || key.expiresAt === null || key.replacedById !== null) return false;
  return Date.parse(key.expiresAt) - nowMs <= SOON_MS;
}

/** Returns what is special about a key. An active key has no badge. */
export function badgesOf(key: ApiKey, nowMs = Date.now()): readonly KeyBadge[] {
  const badges: KeyBadge[] = [];
  if (key.replacedById !== null) badges.push({ label: t.rotated, color: 'gray' });
  if (key.state === 'expired') badges.push({ label: t.expired, color: 'gray' });
  if (key.state === 'revoked') badges.push({ label: t.revoked, color: 'red' });
  if (key.expiresAt !== null && isExpiringSoon(key, nowMs)) {
    badges.push({ label: t.expires(formatRelative(key.expiresAt, nowMs)), color: 'yellow' });
  }
  return badges;
}
