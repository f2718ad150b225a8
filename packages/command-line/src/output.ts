import { randomBytes } from 'node:crypto';
import { createWriteStream, rmSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Client, ExportedFile } from '@datagrid/client';
import { Failure } from './connection.ts';
import { Progress } from './progress.ts';

/**
 * Writes a file of the service to a file or, for `-`, to standard output. After a transient error, starts
 * over if it can.
 * @param label Describes the transfer.
 * @param open Starts the transfer, with one attempt.
 */
export async function download(
  client: Client,
  output: string,
  label: string,
  open: () => Promise<ExportedFile>,
): Promise<void> {
  const progress = new Progress(label, undefined);
  const toFile = output !== '-';
  let hasBegun = false;
  const work = async (): Promise<number> => {
    const { body, rows } = await open();
    hasBegun = true;
    const source = Readable.fromWeb(body as ReadableStream<Uint8Array>);
    const save = (target: Writable): Promise<void> => copy(source, progress, target, toFile);
    if (toFile) await replaceFile(output, save);
    else await save(process.stdout);
    return rows;
  };
  try {
    // Output that was written to standard output cannot be retracted.
    const rows = await client.retry(work, { mayRepeat: () => toFile || !hasBegun });
    progress.stop();
    if (toFile) process.stderr.write(`Wrote ${String(rows)} rows to ${output}.\n`);
  } finally {
    progress.stop();
  }
}

async function copy(
  source: Readable,
  progress: Progress,
  target: Writable,
  end: boolean,
): Promise<void> {
  const counted = (chunks: Readable): AsyncIterable<Uint8Array> => progress.counted(chunks);
  try {
    await pipeline(source, counted, target, { end });
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    // Only errors of files have `syscall` set. Those of the connection are errors of the client.
    throw syscall === undefined ? error : new Failure(`Cannot write the file: ${message}`);
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Writes to a temporary file in the same directory and renames it to `path` when it is complete.
 */
async function replaceFile(path: string, save: (target: Writable) => Promise<void>): Promise<void> {
  const part = `${path}.${randomBytes(4).toString('hex')}.part`;
  const interrupted = (signal: NodeJS.Signals): void => {
    rmSync(part, { force: true });
    // The handler has been removed, so the signal now ends the process as its sender expects.
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.once(signal, interrupted);
  try {
    await save(createWriteStream(part, { flags: 'wx' }));
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupted);
  }
}
