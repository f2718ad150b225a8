import type { StoredVersion } from './history.repository';

/** Effect of a write on a row. */
export type HistoryOperation = 'created' | 'updated' | 'deleted';

/** Effect of one write on a row, with the values of the row after it. */
export interface HistoryEntry {
  readonly revision: number;
  readonly operation: HistoryOperation;
  /** RFC 3339, UTC, milliseconds. */
  readonly at: string;
  readonly userId: string | null;
  readonly keyId: string | null;
  /** The version with the values; `null` if the row was deleted, or its values were not stored. */
  readonly version: StoredVersion | null;
}

/**
 * Returns the entries of a row, newest first. Each version is an entry. So is each deletion, and
 * each write whose values were not stored, because history was off when the next write replaced
 * them.
 * @param versions Consecutive versions of the row, newest first. The last one is only used to
 *   describe the one before it, unless `isComplete`.
 */
export function historyEntries(
  versions: readonly StoredVersion[],
  isComplete: boolean,
): HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  for (const [index, version] of versions.entries()) {
    const [newer, older] = [versions[index - 1], versions[index + 1]];
    const { replaced } = version;
    if (replaced && replaced.revision !== newer?.revision) {
      const { isDeletion, ...write } = replaced;
      const operation = isDeletion ? 'deleted' : 'updated';
      entries.push({ ...write, operation, version: null });
    }
    if (older || isComplete) entries.push(entryOf(version, older));
  }
  return entries;
}

function entryOf(version: StoredVersion, older: StoredVersion | undefined): HistoryEntry {
  const { revision, updatedAt: at } = version;
  const replacing = older?.replaced?.revision === revision ? older.replaced : null;
  const { userId, keyId } = replacing ?? version.logged ?? { userId: null, keyId: null };
  return { revision, operation: operationOf(version, older), at, userId, keyId, version };
}

function operationOf(version: StoredVersion, older: StoredVersion | undefined): HistoryOperation {
  if (older?.replaced?.isDeletion && older.replaced.revision < version.revision) return 'created';
  return !older && version.createdAt === version.updatedAt ? 'created' : 'updated';
}
