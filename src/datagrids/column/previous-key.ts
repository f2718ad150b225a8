import { type FieldError, invalidField } from '../../common/error/app-error';

/** A key that a column had before, which requests may still use. */
export interface PreviousKey {
  readonly key: string;
  /** Time from which requests with the key are rejected, as RFC 3339 in UTC. */
  readonly expiresAt: string;
}

/** Maximum number of previous keys of a column. */
export const MAX_PREVIOUS_KEYS = 5;

/** Days for which a previous key is accepted. */
const PREVIOUS_KEY_DAYS = 90;

const MILLISECONDS_A_DAY = 86_400_000;

/** Returns whether requests may still use a previous key. */
export function isAccepted({ expiresAt }: PreviousKey): boolean {
  return Date.parse(expiresAt) > Date.now();
}

/**
 * Returns the previous keys of a column after its key changes from `before` to `after`. Drops those
 * that have expired.
 * @param released Previous keys to drop. Others are ignored.
 * @throws AppError `invalid_request` if there would be too many.
 */
export function previousKeysAfter(
  previousKeys: readonly PreviousKey[],
  before: string,
  after: string,
  released: readonly string[] = [],
): PreviousKey[] {
  const kept = previousKeys.filter(
    (previous) =>
      isAccepted(previous) && previous.key !== after && !released.includes(previous.key),
  );
  if (before === after) return kept;
  const expiresAt = new Date(Date.now() + PREVIOUS_KEY_DAYS * MILLISECONDS_A_DAY).toISOString();
  if (kept.length >= MAX_PREVIOUS_KEYS) {
    const message = `the column has ${String(MAX_PREVIOUS_KEYS)} previous keys; release one with releaseKeys`;
    throw invalidField('key', 'too_many', message);
  }
  return [...kept, { key: before, expiresAt }];
}

/** The error for values of one column under two of its keys. */
export function repeatedByPreviousKey(field: string, other: string): FieldError {
  const message = `is a previous key of column ${other}, which the values contain, too; send one of them`;
  return { field, code: 'duplicate_column', message };
}
