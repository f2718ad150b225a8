import { importText } from '../../../text/import-text';
import type { FileFormat } from '../read/record';
import { FileRejectedError } from '../read/record';
import type { Sample } from '../read/source';
import type { CheckResult, CheckTask, ConvertedFile } from './check';
import type { RejectedTask } from './rejected-file';

export type FileTask =
  | { readonly kind: 'sample'; readonly file: File; readonly format?: FileFormat }
  | { readonly kind: 'check' | 'convert'; readonly task: CheckTask }
  | { readonly kind: 'rejected'; readonly task: RejectedTask };

export interface TaskResults {
  readonly sample: Sample;
  readonly check: CheckResult;
  readonly convert: ConvertedFile;
  readonly rejected: File;
}

export type TaskMessage =
  | { readonly kind: 'progress'; readonly rows: number }
  | { readonly kind: 'done'; readonly result: TaskResults[keyof TaskResults] }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Runs a task on a file in a worker. An abort ends the worker at once.
 * @param onProgress Receives the number of rows that were read.
 * @throws FileRejectedError if the file cannot be read.
 */
export function runTask<K extends FileTask['kind']>(
  task: FileTask & { readonly kind: K },
  signal: AbortSignal,
  onProgress: (rows: number) => void = () => undefined,
): Promise<TaskResults[K]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    const end = (): void => {
      worker.terminate();
      signal.removeEventListener('abort', onAbort);
    };
    const onAbort = (): void => {
      end();
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort);
    worker.onmessage = ({ data }: MessageEvent<TaskMessage>) => {
      if (data.kind === 'progress') {
        onProgress(data.rows);
        return;
      }
      end();
      if (data.kind === 'failed') reject(new FileRejectedError(data.message));
      else resolve(data.result as TaskResults[K]);
    };
    worker.onerror = ({ message }) => {
      end();
      reject(
        new FileRejectedError(importText.read.crashed(message || importText.read.unknownError)),
      );
    };
    if (signal.aborted) onAbort();
    else worker.postMessage(task);
  });
}
