import { importText } from '../../../text/import-text';
import { detectFormat, readSample } from '../read/source';
import { FileRejectedError } from '../read/record';
import { checkFile, convertFile } from './check';
import { rejectedFile } from './rejected-file';
import type { FileTask, TaskMessage, TaskResults } from './run-task';

/** Runs one task on a file, apart from the page, so that the page stays responsive. */
async function run(task: FileTask): Promise<TaskResults[FileTask['kind']]> {
  const onProgress = (rows: number): void => {
    reply({ kind: 'progress', rows });
  };
  switch (task.kind) {
    case 'sample':
      return readSample(task.file, task.format ?? (await detectFormat(task.file)));
    case 'check':
      return checkFile(task.task, onProgress);
    case 'convert':
      return convertFile(task.task, onProgress);
    case 'rejected':
      return rejectedFile(task.task, onProgress);
  }
}

function reply(message: TaskMessage): void {
  globalThis.postMessage(message);
}

globalThis.onmessage = ({ data }: MessageEvent<FileTask>) => {
  run(data)
    .then((result) => {
      reply({ kind: 'done', result });
    })
    .catch((error: unknown) => {
      const isExpected = error instanceof FileRejectedError || error instanceof TypeError;
      const message = error instanceof Error ? error.message : importText.read.unknown;
      reply({
        kind: 'failed',
        message: isExpected ? message : importText.read.failed(message),
      });
    });
};
