import type { ClearedTable, ClearingStep, TablePosition } from './clearing-sql';

/**
 * Clears tables one after another, in steps.
 * @param isStopping Whether to go no further than the step under way.
 * @returns whether nothing is left; not where it had to stop or another replica is at it.
 */
export async function clearTables(
  tables: readonly ClearedTable[],
  clear: (table: ClearedTable, after: TablePosition) => Promise<ClearingStep>,
  isStopping: () => boolean,
): Promise<boolean> {
  for (const table of tables) {
    let next: TablePosition | null = table.start;
    while (next) {
      if (isStopping()) return false;
      const step = await clear(table, next);
      if (!step.isLocked) return false;
      next = step.next;
    }
  }
  return true;
}
