import { valueClass } from '../column-type/value-class';
import {
  INDEX_COMPLETE,
  needsIndex,
  type ColumnRecord,
  type ColumnLeftovers,
} from './column-record';

/**
 * Returns a new column with the state of its index, if it needs one: complete if there are no rows,
 * otherwise to be built in the background. Writes maintain the index from now on. The background
 * build adds existing rows.
 */
export function withIndexFor(column: ColumnRecord, lastRowId: number): ColumnRecord {
  const indexedTo = lastRowId === 0 ? INDEX_COMPLETE : 0;
  return { ...column, indexedTo: needsIndex(column) ? indexedTo : null };
}

/**
 * Returns a column after a change with the state of its index. Keeps the index if it still serves
 * the column. A new index waits until the leftovers of the old one are deleted. Until then, writes
 * maintain none.
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
 * Returns the leftovers of a column after a change. They are no longer read.
 * @param after `null` if the column is removed.
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

/** Whether the same index serves the column before and after a change, or it has none in both. */
function isIndexedAlike(before: ColumnRecord, after: ColumnRecord): boolean {
  const comparesAlike = indexOf(before) === indexOf(after);
  return needsIndex(before) === needsIndex(after) && comparesAlike;
}

function indexOf({ type }: ColumnRecord): 'number' | 'text' {
  return valueClass(type) === 'number' ? 'number' : 'text';
}
