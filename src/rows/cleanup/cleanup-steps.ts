import type { StepResult } from '../../platform/background/job-turns';
import { StepSize } from '../../platform/background/step-size';
import type { ClearedTable, CleanupStep, TablePosition } from './cleanup-sql';

/** Deletes up to `rows` rows of a table after a position. */
export type DeleteRows = (
  table: ClearedTable,
  after: TablePosition,
  rows: number,
) => Promise<CleanupStep>;

/**
 * Deletes orphans from tables, one table after another, in steps. It keeps its position between
 * steps, because a step from the start would pass over all rows that are deleted and not yet
 * vacuumed.
 * @param finish Removes the record of the orphans, in the last step.
 */
export async function* cleanupSteps(
  tables: readonly ClearedTable[],
  deleteRows: DeleteRows,
  finish: () => Promise<'completed' | 'locked'>,
): AsyncGenerator<StepResult, undefined> {
  for (const table of tables) {
    const size = new StepSize();
    let next: TablePosition | null = table.start;
    while (next) {
      const after: TablePosition = next;
      const step = await size.measure((rows) => deleteRows(table, after, rows));
      if (step.isLocked) next = step.next;
      yield step.isLocked ? 'more' : 'locked';
    }
  }
  while ((await finish()) === 'locked') yield 'locked';
}
