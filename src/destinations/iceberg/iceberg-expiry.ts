import { DestinationError } from '../destination';
import { findSnapshot, type Snapshot, type SnapshotId } from './iceberg-metadata';
import { listRemovals } from './file-list';
import type { IcebergVersion } from './iceberg-version';
import { SYNC_BRANCH } from './sync-properties';

/** Time for which a snapshot stays after the next one, for readers in progress. */
const KEPT_MS = 3 * 3_600_000;
/** Maximum number of snapshots that a commit removes. */
const MAX_REMOVED = 20;

/**
 * Returns the snapshots that the next commit removes: that of the sync's last commit, unless readers
 * have seen it, and, if readers get a new one, those that they have not seen for hours, the oldest first.
 * As long as the owner has branches or tags, no snapshot that readers have seen is removed.
 */
export function removableSnapshots(from: IcebergVersion, isNewMain: boolean): SnapshotId[] {
  const { metadata, syncId, mainId, stored } = from;
  const refs = Object.entries(metadata.refs);
  const others = refs.filter(([name]) => name !== SYNC_BRANCH && name !== 'main');
  const isReferenced = others.some(([, ref]) => ref['snapshot-id'] === syncId);
  const isSeen = syncId === mainId || syncId === stored.properties.snapshotId;
  const last = syncId !== null && !isSeen && !isReferenced ? [syncId] : [];
  if (!isNewMain || others.length > 0) return last;
  const oldest = Date.now() - KEPT_MS;
  const history = lineage(from);
  // A snapshot was seen until the next one came.
  const expired = history
    .filter((_, n) => (history[n + 1]?.['timestamp-ms'] ?? Infinity) < oldest)
    .slice(0, MAX_REMOVED);
  return [...last, ...expired.map((one) => one['snapshot-id'])];
}

/** The snapshots that readers have seen, the oldest first. */
function lineage({ metadata, mainId }: IcebergVersion): Snapshot[] {
  const found: Snapshot[] = [];
  const byId = new Map(metadata.snapshots.map((one) => [one['snapshot-id'], one]));
  for (let id: SnapshotId | null = mainId; id !== null;) {
    const one = byId.get(id);
    if (!one) break;
    found.push(one);
    // A snapshot comes once, even if the catalog says otherwise.
    byId.delete(id);
    id = one['parent-snapshot-id'] ?? null;
  }
  return found.reverse();
}

/**
 * Returns the addresses of the objects that removed snapshots had, and that the snapshot after them
 * does not have.
 */
export async function listExpired(
  from: IcebergVersion,
  removed: readonly SnapshotId[],
): Promise<readonly string[]> {
  const { storage, location, metadata } = from;
  const gone = new Set(removed);
  const history = lineage(from);
  const found: string[] = [];
  for (const [n, one] of history.entries()) {
    const list = one['manifest-list'];
    const next = findSnapshot(metadata, history[n + 1]?.['snapshot-id'] ?? null);
    const nextList = next?.['manifest-list'];
    if (!gone.has(one['snapshot-id']) || list === undefined || nextList === undefined) continue;
    found.push(...(await unlessForeign(listRemovals({ storage, location }, list, nextList))));
  }
  return found;
}

/** Files that somebody else has written or removed are left to their owner. */
async function unlessForeign(addresses: Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await addresses;
  } catch (error) {
    if (error instanceof DestinationError && error.kind === 'inconsistent') return [];
    throw error;
  }
}
