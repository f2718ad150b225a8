import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { Progress } from '../progress';
import {
  API,
  ClientFailure,
  clientSettings,
  Service,
  TransientError,
  withRetries,
  WrongUsage,
} from '../service';

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
    .description('Import rows from a file or standard input into a datagrid.')
    .argument('<file>', 'CSV or NDJSON file, also as .gz; - means standard input')
    .requiredOption('--datagrid <id>', 'id of the datagrid')
    .addOption(
      new Option('--format <format>', 'default: from the file name').choices(['csv', 'ndjson']),
    )
    .addOption(new Option('--mode <mode>', 'default: insert').choices(['insert', 'upsert']))
    .option('--match-on <columns>', 'unique columns that identify rows in an upsert')
    .addOption(
      new Option('--on-error <action>', 'action for invalid rows; default: abort').choices([
        'abort',
        'skip',
      ]),
    )
    .option('--create-columns', 'create columns for unknown header names')
    .addOption(
      new Option('--delimiter <name>', 'delimiter of CSV; default: detected').choices(DELIMITERS),
    )
    .addOption(
      new Option('--encoding <name>', 'encoding of CSV; default: detected').choices(ENCODINGS),
    )
    .option(
      '--idempotency-key <key>',
      'key that identifies this import; with the same key it runs only once',
    )
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
  if (report.state !== 'completed')
    throw new ClientFailure(
      `The import ${report.state === 'cancelled' ? 'was cancelled' : report.state}.`,
    );
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
  const response = await call;
  try {
    return ((await json(response)) as { data: ImportReport }).data;
  } catch {
    throw new TransientError('The response ended early.');
  }
}

/** A file of rows to send. */
interface ImportSource {
  readonly contentType: string;
  readonly isZipped: boolean;
  /** Size of the file; `undefined` if it is unknown before the end of the file. */
  readonly bytes: number | undefined;
  /** Whether the file can be read more than once. */
  readonly isRepeatable: boolean;
  open(): Readable;
}

const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
};

/**
 * Opens a file of rows.
 * @param file A path, or `-` for standard input.
 * @param format `csv` or `ndjson`; if `undefined`, it follows from the extension of the path,
 *   ignoring `.gz`.
 * @throws WrongUsage if the format is unknown.
 * @throws ClientFailure if the file cannot be read.
 */
async function importSource(file: string, format: string | undefined): Promise<ImportSource> {
  const isZipped = /\.gz$/i.test(file);
  const ending = /\.([a-z]+)(?:\.gz)?$/i.exec(file)?.[1]?.toLowerCase();
  const contentType = TYPES[format ?? ending ?? ''];
  if (contentType === undefined) {
    throw new WrongUsage('Set --format to csv or ndjson: the file name does not tell the format.');
  }
  if (file === '-') {
    const open = (): Readable => process.stdin;
    return { contentType, isZipped: false, bytes: undefined, isRepeatable: false, open };
  }
  const found = await stat(file).catch((error: unknown) => {
    throw new ClientFailure(`Cannot read the file: ${(error as Error).message}`);
  });
  const bytes = found.isFile() ? found.size : undefined;
  const open = (): Readable => createReadStream(file);
  return { contentType, isZipped, bytes, isRepeatable: found.isFile(), open };
}

const MAX_LINES = 20;

/** The part of an import report that the client reads. */
interface ImportReport {
  readonly id: string;
  readonly datagridId: string;
  readonly state: 'running' | 'completed' | 'failed' | 'cancelled';
  readonly rowsRead: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejected: number;
  /** The line to continue from; `null` if the import is complete. */
  readonly nextLine: number | null;
  readonly failure?: { readonly code: string; readonly message: string } | null;
  readonly errors: readonly {
    readonly line: number;
    readonly details: readonly { readonly field: string; readonly message: string }[];
  }[];
}

/** Formats the report as text for people: its counts and the first rejected lines. */
function reportText(report: ImportReport): string {
  const { id, state, rowsRead, created, updated, unchanged, rejected } = report;
  const numbers = `${String(rowsRead)} rows read: ${String(created)} created, ${String(updated)} updated, ${String(unchanged)} unchanged, ${String(rejected)} rejected`;
  const lines = report.errors
    .slice(0, MAX_LINES)
    .flatMap(({ line, details }) =>
      details.map(({ field, message }) => `  line ${String(line)}: ${field} ${message}`),
    );
  const end =
    report.failure && report.nextLine !== null
      ? [
          `${report.failure.code}: ${report.failure.message}`,
          `Continue from line ${String(report.nextLine)}.`,
        ]
      : [];
  return [`Import ${id} ${state}. ${numbers}.`, ...lines, ...end].join('\n');
}
