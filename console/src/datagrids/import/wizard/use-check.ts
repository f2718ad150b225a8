import { useCallback, useState } from 'react';
import { compareFile, type ComparedCheck } from '../compare-file';
import { ExistingValues, queryRowsOf } from '../existing-values';
import type { CheckTask } from '../plan/check';
import { runTask } from '../plan/run-task';
import { useTask, type RunningTask, type RunTask } from '../plan/use-file-task';

/**
 * Checks a whole file, and its values in unique columns.
 * @param datagridId Absent for a new datagrid.
 */
export function useCheck(
  task: CheckTask,
  datagridId: string | undefined,
): RunningTask<ComparedCheck> {
  const [existing] = useState(() =>
    datagridId === undefined ? undefined : new ExistingValues(queryRowsOf(datagridId)),
  );
  const run = useCallback<RunTask<ComparedCheck>>(
    (signal, onProgress) =>
      compareFile(task, existing, signal, (one) =>
        runTask({ kind: 'check', task: one }, signal, onProgress),
      ),
    [task, existing],
  );
  return useTask(run);
}
