import { randomBytes } from 'node:crypto';
import { createWriteStream, rmSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Option, type Command } from 'commander';
import { ClientFailure, TransientError } from '../failure';
import { Progress } from '../progress';
import { withRetries } from '../retry';
import { API, Service } from '../service';
import { clientSettings } from '../settings';
import { DELIMITERS } from './import-command';
import { addRowQueryOptions, rowQueryOf, type RowQueryOptions } from './row-query-options';

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
    .description('Write all rows, or those that match, to a file or standard output.')
    .requiredOption('--datagrid <id>', 'the datagrid to export')
    .addOption(new Option('--format <format>').choices(['csv', 'ndjson']).default('ndjson'))
    .addOption(new Option('--shape <shape>', 'of NDJSON').choices(['values', 'row']))
    .addOption(new Option('--delimiter <name>', 'of CSV').choices(DELIMITERS))
    .option('--escape-formulas', 'put an apostrophe before text that spreadsheets would run')
    .option('--bom', 'begin CSV with a byte order mark, for Excel')
    .option('--gzip', 'let the rows travel compressed')
    .option('-o, --output <file>', 'the file to write; it is there once it is whole', '-');
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
      const answer = await service.call({ method: 'GET', path, headers });
      hasBegun = true;
      const stages = [...(gzip ? [createGunzip()] : []), progress.counter()];
      const save = (target: Writable): Promise<void> => copy(answer, stages, target, toFile);
      if (toFile) await replaceFile(output, save);
      else await save(process.stdout);
      if (answer.trailers['export-status'] !== 'complete') throw new TransientError(CUT);
      return String(answer.trailers['export-rows']);
    },
    // Output that was written to standard output cannot be retracted.
    () => toFile || !hasBegun,
  ).finally(() => {
    progress.stop();
  });
  if (toFile) process.stderr.write(`${rows} rows are in ${output}.\n`);
}

const CUT = 'The export was broken off before its end.';

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
    throw isOurs
      ? new ClientFailure(`The file cannot be written: ${message}`)
      : new TransientError(CUT);
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
