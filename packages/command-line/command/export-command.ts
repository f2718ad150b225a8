import { randomBytes } from 'node:crypto';
import { createWriteStream, rmSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Option, type Command } from 'commander';
import {
  API,
  ClientFailure,
  clientSettings,
  Service,
  TransientError,
  withRetries,
} from '../service';
import { Progress } from '../progress';
import { DELIMITERS } from './import-command';
import { addRowQueryOptions, rowQueryOf, type RowQueryOptions } from './row-commands';

interface ExportOptions extends RowQueryOptions {
  readonly datagrid: string;
  readonly format: string;
  readonly shape?: string;
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

async function runExport(options: ExportOptions): Promise<void> {
  const service = new Service(clientSettings());
  const { datagrid, format, shape, delimiter, gzip = false, output } = options;
  const query = rowQueryOf(options, {
    format,
    shape,
    delimiter,
    escapeFormulas: options.escapeFormulas ? 'true' : undefined,
    bom: options.bom ? 'true' : undefined,
  });
  const path = `${API}/datagrids/${encodeURIComponent(datagrid)}/rows/export?${query}`;
  const progress = new Progress('export', undefined);
  const toFile = output !== '-';
  let hasBegun = false;
  const rows = await withRetries(
    async () => {
      const headers = { 'accept-encoding': gzip ? 'gzip' : 'identity' };
      const response = await service.call({ method: 'GET', path, headers });
      hasBegun = true;
      const stages = [...(gzip ? [createGunzip()] : []), progress.counter()];
      const save = (target: Writable): Promise<void> => copy(response, stages, target, toFile);
      if (toFile) await replaceFile(output, save);
      else await save(process.stdout);
      if (response.trailers['export-status'] !== 'complete') throw new TransientError(CUT);
      return String(response.trailers['export-rows']);
    },
    // Output that was written to standard output cannot be retracted.
    () => toFile || !hasBegun,
  ).finally(() => {
    progress.stop();
  });
  if (toFile) process.stderr.write(`Wrote ${rows} rows to ${output}.\n`);
}

const CUT = 'The export ended early.';

async function copy(
  source: Readable,
  stages: readonly (NodeJS.ReadableStream & NodeJS.WritableStream)[],
  target: Writable,
  end: boolean,
): Promise<void> {
  try {
    await pipeline([source, ...stages, target], { end });
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    // File errors have `syscall` set. Connection errors mean that the export was interrupted.
    const isOurs = syscall !== undefined && code !== 'ECONNRESET' && code !== 'ETIMEDOUT';
    throw isOurs ? new ClientFailure(`Cannot write the file: ${message}`) : new TransientError(CUT);
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
