import { valueClass } from '../column-type/value-class';
import { INDEX_COMPLETE, needsIndex, type ColumnRecord } from './column-record';

/**
 * The column with an index if it needs one: complete where there is no row yet, and otherwise to
 * be built in the background. Writes keep the index from now on; what was there before is added.
 */
export function withIndexFor(column: ColumnRecord, lastRowId: number): ColumnRecord {
  const indexedTo = lastRowId === 0 ? INDEX_COMPLETE : 0;
  return { ...column, indexedTo: needsIndex(column) ? indexedTo : null };
}

/** Whether a column's index serves it after a change as it did before, or it has none in both. */
export function isIndexedAlike(before: ColumnRecord, after: ColumnRecord): boolean {
  const comparesAlike = indexOf(before) === indexOf(after);
  return needsIndex(before) === needsIndex(after) && comparesAlike;
}

function indexOf({ type }: ColumnRecord): 'number' | 'text' {
  return valueClass(type) === 'number' ? 'number' : 'text';
}
