import { useCallback, useEffect, useState } from 'react';
import { runTask, type FileTask, type TaskResults } from './run-task';

export interface RunningTask<T> {
  readonly result?: T;
  readonly error?: unknown;
  /** Rows that were read so far. */
  readonly rows: number;
}

/** Starts a task, and tells the number of rows that were read so far. */
export type RunTask<T> = (signal: AbortSignal, onProgress: (rows: number) => void) => Promise<T>;

/** Runs a task on a file whenever the task changes. The task before it is canceled. */
export function useFileTask<K extends FileTask['kind']>(
  task: FileTask & { readonly kind: K },
): RunningTask<TaskResults[K]> {
  const run = useCallback<RunTask<TaskResults[K]>>(
    (signal, onProgress) => runTask<K>(task, signal, onProgress),
    [task],
  );
  return useTask(run);
}

/** Runs a task whenever the function changes. The task before it is canceled. */
export function useTask<T>(run: RunTask<T>): RunningTask<T> {
  type State = RunningTask<T> & { readonly of: RunTask<T> };
  const [state, setState] = useState<State>({ of: run, rows: 0 });
  useEffect(() => {
    const running = new AbortController();
    run(running.signal, (rows) => {
      setState({ of: run, rows });
    })
      .then((result) => {
        if (!running.signal.aborted) setState({ of: run, rows: 0, result });
      })
      .catch((error: unknown) => {
        if (!running.signal.aborted) setState({ of: run, rows: 0, error });
      });
    return () => {
      running.abort();
    };
  }, [run]);
  return state.of === run ? state : { rows: 0 };
}
