import type { CheckResult, CheckTask } from './plan/check';
import { comparedColumns, MAX_COMPARED_ROWS, type UniqueForms } from './plan/unique-values';
import type { ExistingValues } from './existing-values';

/** A check of a whole file, with the values that rows of the datagrid have. */
export interface ComparedCheck extends CheckResult {
  readonly taken: UniqueForms;
  /** Rows of the file whose unique values were compared with those of the datagrid. */
  readonly compared: 'all' | 'first' | 'none';
}

/** Checks a file. */
export type CheckFile = (task: CheckTask) => Promise<CheckResult>;

/** Checks a file, and which of its values in unique columns rows of the datagrid have. */
export async function compareFile(
  task: CheckTask,
  existing: ExistingValues | undefined,
  signal: AbortSignal,
  check: CheckFile,
): Promise<ComparedCheck> {
  const first = await check(task);
  const taken = new Map<string, ReadonlySet<string>>();
  try {
    for (const { column } of existing ? comparedColumns(task.written, task.plan) : []) {
      const forms = first.uniqueForms.get(column.key);
      if (forms) taken.set(column.key, (await existing?.find(column, forms, signal)) ?? new Set());
    }
  } catch {
    // The service decides during the import, so that the import need not wait for a comparison.
    signal.throwIfAborted();
    return { ...first, taken: new Map(), compared: 'none' };
  }
  const isAny = [...taken.values()].some(({ size }) => size > 0);
  const result = isAny ? await check({ ...task, taken }) : first;
  const isCut = taken.size > 0 && result.rows > MAX_COMPARED_ROWS;
  return { ...result, taken, compared: isCut ? 'first' : 'all' };
}
