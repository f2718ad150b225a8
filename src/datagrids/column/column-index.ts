import { valueClass } from '../column-type/value-class';
import { INDEX_COMPLETE, needsIndex, type ColumnRecord, type ColumnLeftovers } from './column-record';

/**
 * A new column with an index if it needs one: complete where there is no row yet, and otherwise to
 * be built in the background. Writes keep the index from now on; what was there before is added.
 */
export function withIndexFor(column: ColumnRecord, lastRowId: number): ColumnRecord {
  const indexedTo = lastRowId === 0 ? INDEX_COMPLETE : 0;
  return { ...column, indexedTo: needsIndex(column) ? indexedTo : null };
}

/**
 * A column after a change, with the index it then needs: as it was where that serves it still. A
 * new one waits until what the old one left is cleared away; until then writes keep none.
 */
export function withIndexAfter(
  before: ColumnRecord & ColumnLeftovers,
  after: ColumnRecord,
  lastRowId: number,
): ColumnRecord & ColumnLeftovers {
  const leftovers = leftoversAfter(before, after, lastRowId);
  if (isIndexedAlike(before, after)) return { ...after, ...leftovers };
  const { indexedTo } = withIndexFor(after, lastRowId);
  return { ...after, ...leftovers, indexedTo: leftovers.entriesLeftAt === null ? indexedTo : null };
}

/**
 * What a column has left behind after a change: nobody looks at it any more.
 * @param after `null` where the column is removed.
 */
export function leftoversAfter(
  before: ColumnRecord & ColumnLeftovers,
  after: ColumnRecord | null,
  lastRowId: number,
): ColumnLeftovers {
  if (lastRowId === 0) return { entriesLeftAt: null, claimsLeftAt: null };
  const now = new Date();
  const keepsIndex = after !== null && isIndexedAlike(before, after);
  const keepsClaims = after?.unique ?? false;
  return {
    entriesLeftAt: before.indexedTo === null || keepsIndex ? before.entriesLeftAt : now,
    claimsLeftAt: keepsClaims ? null : before.unique ? now : before.claimsLeftAt,
  };
}

/** Whether a column's index serves it after a change as it did before, or it has none in both. */
function isIndexedAlike(before: ColumnRecord, after: ColumnRecord): boolean {
  const comparesAlike = indexOf(before) === indexOf(after);
  return needsIndex(before) === needsIndex(after) && comparesAlike;
}

function indexOf({ type }: ColumnRecord): 'number' | 'text' {
  return valueClass(type) === 'number' ? 'number' : 'text';
}
