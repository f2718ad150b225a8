import { randomBytes } from 'node:crypto';
import { createWriteStream, rmSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { ExportOptions } from '@datagrid/client';
import { type Command, Option } from 'commander';
import { clientOf, Failure } from '../connection.ts';
import { Progress } from '../progress.ts';
import { DELIMITERS } from './import-command.ts';
import { addRowQueryOptions, rowQueryOf, type RowQueryOptions } from './row-commands.ts';

interface Options extends RowQueryOptions {
  readonly datagrid: string;
  readonly format: ExportOptions['format'];
  readonly shape?: ExportOptions['shape'];
  readonly linkKeys?: string;
  readonly delimiter?: string;
  readonly escapeFormulas?: boolean;
  readonly bom?: boolean;
  readonly gzip?: boolean;
  readonly output: string;
}

export function addExportCommand(program: Command): void {
  const command = program
    .command('export')
    .description('Export all rows, or those that match, to a file or standard output.')
    .requiredOption('--datagrid <id>', 'id of the datagrid')
    .addOption(new Option('--format <format>').choices(['csv', 'ndjson']).default('ndjson'))
    .addOption(
      new Option('--shape <shape>', 'objects of NDJSON: values only, or whole rows').choices([
        'values',
        'row',
      ]),
    )
    .option(
      '--link-keys <columns>',
      'link columns to export as keys of the linked rows, such as from.iata,to.iata',
    )
    .addOption(new Option('--delimiter <name>', 'delimiter of CSV').choices(DELIMITERS))
    .option(
      '--escape-formulas',
      'put an apostrophe before text that spreadsheets would run as a formula',
    )
    .option('--bom', 'start CSV with a byte order mark, for Excel')
    .option('--gzip', 'compress the transfer')
    .option('-o, --output <file>', 'file to write; it is created when the export is complete', '-');
  addRowQueryOptions(command).action(runExport);
}

async function runExport(options: Options, command: Command): Promise<void> {
  const client = clientOf(command);
  const { datagrid, format, shape, delimiter, escapeFormulas, bom, gzip = false, output } = options;
  const progress = new Progress('export', undefined);
  const toFile = output !== '-';
  let hasBegun = false;
  const work = async (): Promise<number> => {
    const { body, rows } = await client.rows(datagrid).export({
      ...rowQueryOf(options),
      ...{ format, shape, delimiter, escapeFormulas, bom },
      linkKeys: options.linkKeys?.split(','),
      compress: gzip,
      maxAttempts: 1,
    });
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
