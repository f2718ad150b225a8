import { randomUUID } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import { ClientFailure, TransientError } from '../failure';
import { Progress } from '../progress';
import { withRetries } from '../retry';
import { API, Service } from '../service';
import { clientSettings } from '../settings';
import { reportText, type ImportReport } from './import-report';
import { importSource, type ImportSource } from './import-source';

const WATCH_EVERY_MS = 500;

export const DELIMITERS = ['comma', 'semicolon', 'tab', 'pipe'];
const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'];

interface ImportOptions {
  readonly datagrid: string;
  readonly format?: string;
  readonly mode?: string;
  readonly matchOn?: string;
  readonly onError?: string;
  readonly createColumns?: boolean;
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly idempotencyKey?: string;
  readonly json?: boolean;
}

export function addImportCommand(program: Command): void {
  program
    .command('import')
    .description('Send the rows of a file, or of standard input, into a datagrid.')
    .argument('<file>', 'CSV or NDJSON, also with .gz; - for standard input')
    .requiredOption('--datagrid <id>', 'the datagrid to write to')
    .addOption(
      new Option('--format <format>', 'where the name does not tell').choices(['csv', 'ndjson']),
    )
    .addOption(new Option('--mode <mode>').choices(['insert', 'upsert']))
    .option('--match-on <columns>', 'unique columns that upserts know rows by')
    .addOption(new Option('--on-error <what>').choices(['abort', 'skip']))
    .option('--create-columns', 'create columns for unknown header names')
    .addOption(
      new Option('--delimiter <name>', 'of CSV, where the file does not tell').choices(DELIMITERS),
    )
    .addOption(
      new Option('--encoding <name>', 'of CSV, where the file does not tell').choices(ENCODINGS),
    )
    .option('--idempotency-key <key>', 'a name for this import: with the same one it is made once')
    .option('--json', 'print the report as one JSON object')
    .action(runImport);
}

async function runImport(file: string, options: ImportOptions): Promise<void> {
  const service = new Service(clientSettings());
  const source = await importSource(file, options.format);
  const progress = new Progress('import', source.bytes);
  let report: ImportReport;
  try {
    const started = await start(service, source, options, progress);
    report = await finished(service, started, progress);
  } catch (error) {
    progress.stop();
    if (error instanceof ClientFailure && error.location !== undefined) {
      print(await reportAt(service, error.location), options);
    }
    throw error;
  } finally {
    progress.stop();
  }
  print(report, options);
  if (report.state !== 'completed') throw new ClientFailure(`The import has ${report.state}.`);
}

function print(report: ImportReport, { json: asJson = false }: ImportOptions): void {
  process.stdout.write(`${asJson ? JSON.stringify(report) : reportText(report)}\n`);
}

/**
 * Starts the import. Every attempt sends the same key, so that an import that has started is not
 * started again.
 */
async function start(
  service: Service,
  source: ImportSource,
  options: ImportOptions,
  progress: Progress,
): Promise<ImportReport> {
  const { datagrid, idempotencyKey = randomUUID() } = options;
  const path = `${API}/datagrids/${encodeURIComponent(datagrid)}/rows/import?${queryOf(options)}`;
  const headers = {
    'content-type': source.contentType,
    'idempotency-key': idempotencyKey,
    ...(source.bytes !== undefined && { 'content-length': source.bytes }),
    ...(source.isZipped && { 'content-encoding': 'gzip' }),
  };
  return withRetries(
    async () => {
      const body = source.open();
      try {
        const counted = body.pipe(progress.counter());
        body.on('error', (error) => counted.destroy(error));
        return await reportOf(service.call({ method: 'POST', path, headers, body: counted }));
      } finally {
        body.destroy();
      }
    },
    () => source.isRepeatable,
  );
}

function queryOf(options: ImportOptions): string {
  const { mode, matchOn, onError, createColumns, delimiter, encoding } = options;
  const all = { mode, matchOn, onError, createColumns, delimiter, encoding };
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(all)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.toString();
}

/** Polls an import until it ends. */
async function finished(
  service: Service,
  started: ImportReport,
  progress: Progress,
): Promise<ImportReport> {
  const path = `${API}/datagrids/${started.datagridId}/imports/${started.id}`;
  let report = started;
  while (report.state === 'running') {
    progress.rows(report.rowsRead);
    await delay(WATCH_EVERY_MS);
    report = await reportAt(service, path);
  }
  return report;
}

function reportAt(service: Service, path: string): Promise<ImportReport> {
  return withRetries(() => reportOf(service.call({ method: 'GET', path })));
}

async function reportOf(call: ReturnType<Service['call']>): Promise<ImportReport> {
  const answer = await call;
  try {
    return ((await json(answer)) as { data: ImportReport }).data;
  } catch {
    throw new TransientError('The answer was broken off.');
  }
}
