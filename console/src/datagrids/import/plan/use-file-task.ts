import { useEffect, useState } from 'react';
import { runTask, type FileTask, type TaskResults } from './run-task';

export interface RunningTask<T> {
  readonly result?: T;
  readonly error?: unknown;
  /** Rows that were read so far. */
  readonly rows: number;
}

/** Runs a task on a file whenever the task changes. The task before it is canceled. */
export function useFileTask<K extends FileTask['kind']>(
  task: FileTask & { readonly kind: K },
): RunningTask<TaskResults[K]> {
  type State = RunningTask<TaskResults[K]> & { readonly of: FileTask };
  const [state, setState] = useState<State>({ of: task, rows: 0 });
  useEffect(() => {
    const running = new AbortController();
    runTask<K>(task, running.signal, (rows) => {
      setState({ of: task, rows });
    })
      .then((result) => {
        setState({ of: task, rows: 0, result });
      })
      .catch((error: unknown) => {
        if (!running.signal.aborted) setState({ of: task, rows: 0, error });
      });
    return () => {
      running.abort();
    };
  }, [task]);
  return state.of === task ? state : { rows: 0 };
}
