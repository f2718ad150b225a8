import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import {
  ApiError,
  type Client,
  ImportError,
  type ImportOptions,
  type ImportReport,
  SourceError,
} from '@datagrid/client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { clientOf, Failure, WrongUsage } from '../connection.ts';
import { Progress } from '../progress.ts';

export const DELIMITERS = ['comma', 'semicolon', 'tab', 'pipe'];
const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'];

interface Options {
  readonly datagrid: string;
  readonly format?: string;
  readonly mode?: ImportOptions['mode'];
  readonly matchOn?: string;
  readonly linkKeys?: string;
  readonly onError?: ImportOptions['onError'];
  readonly createColumns?: boolean;
  readonly ignoreReadOnly?: boolean;
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly startLine?: number;
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
    .option(
      '--link-keys <columns>',
      'link columns whose values are keys of the linked rows, such as from.iata,to.iata',
    )
    .addOption(
      new Option('--on-error <action>', 'action for invalid rows; default: abort').choices([
        'abort',
        'skip',
      ]),
    )
    .option('--create-columns', 'create columns for unknown header names')
    .option('--ignore-read-only', 'leave out values of columns whose values the service sets')
    .addOption(
      new Option('--delimiter <name>', 'delimiter of CSV; default: detected').choices(DELIMITERS),
    )
    .addOption(
      new Option('--encoding <name>', 'encoding of CSV; default: detected').choices(ENCODINGS),
    )
    .option(
      '--start-line <line>',
      'first line whose row is read, to continue an import; default: 1',
      lineNumber,
    )
    .option(
      '--idempotency-key <key>',
      'key that identifies this import; with the same key it runs only once',
    )
    .option('--json', 'print the report as one JSON object')
    .action(runImport);
}

function lineNumber(text: string): number {
  const line = Number(text);
  if (/^\d+$/.test(text) && line >= 1 && Number.isSafeInteger(line)) return line;
  throw new InvalidArgumentError('It must be a number of a line, from 1.');
}

async function runImport(file: string, options: Options, command: Command): Promise<void> {
  const client = clientOf(command);
  const source = await importSource(file, options.format);
  const progress = new Progress('import', source.bytes);
  try {
    const report = await send(client, source, options, progress);
    progress.stop();
    print(options.json === true ? JSON.stringify(report) : reportText(report));
  } catch (error) {
    progress.stop();
    if (error instanceof SourceError) throw new Failure(error.message);
    if (!(error instanceof ImportError)) throw error;
    if (options.json === true) print(JSON.stringify(error.report));
    throw new Failure(failureText(error, options));
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Starts the import, and waits until it ends. */
async function send(
  client: Client,
  source: ImportSource,
  options: Options,
  progress: Progress,
): Promise<ImportReport> {
  const { mode, onError, createColumns, ignoreReadOnly } = options;
  const { delimiter, encoding, startLine } = options;
  const { format, isGzip, bytes, isRepeatable } = source;
  const counted = (): AsyncIterable<Uint8Array> => progress.counted(source.open());
  return client.rows(options.datagrid).import(isRepeatable ? counted : counted(), {
    ...{ format, isGzip, bytes, mode, onError, createColumns, ignoreReadOnly },
    ...{ delimiter, encoding, startLine },
    matchOn: options.matchOn?.split(','),
    linkKeys: options.linkKeys?.split(','),
    idempotencyKey: options.idempotencyKey,
    onProgress: ({ rowsRead }) => {
      progress.rows(rowsRead);
    },
  });
}

/** A file of rows to send. */
interface ImportSource {
  readonly format: ImportOptions['format'];
  readonly isGzip: boolean;
  /** Size of the file; `undefined` if it is unknown before the end of the file. */
  readonly bytes: number | undefined;
  /** Whether the file can be read more than once. */
  readonly isRepeatable: boolean;
  open(): Readable;
}

const FORMATS: Readonly<Record<string, ImportOptions['format']>> = {
  csv: 'csv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
};

/**
 * Opens a file of rows.
 * @param file A path, or `-` for standard input.
 * @param named `csv` or `ndjson`; if `undefined`, it follows from the extension of the path,
 *   ignoring `.gz`.
 * @throws WrongUsage if the format is unknown.
 * @throws Failure if the file cannot be read.
 */
async function importSource(file: string, named: string | undefined): Promise<ImportSource> {
  const isGzip = /\.gz$/i.test(file);
  const ending = /\.([a-z]+)(?:\.gz)?$/i.exec(file)?.[1]?.toLowerCase();
  const format = FORMATS[named ?? ending ?? ''];
  if (format === undefined) {
    throw new WrongUsage('Set --format to csv or ndjson: the file name does not tell the format.');
  }
  if (file === '-') {
    const open = (): Readable => process.stdin;
    return { format, isGzip: false, bytes: undefined, isRepeatable: false, open };
  }
  const found = await stat(file).catch((error: unknown) => {
    throw new Failure(`Cannot read the file: ${(error as Error).message}`);
  });
  const bytes = found.isFile() ? found.size : undefined;
  const open = (): Readable => createReadStream(file);
  return { format, isGzip, bytes, isRepeatable: found.isFile(), open };
}

const MAX_LINES = 20;

/** Formats a report as text for people: its counts and the first rejected lines. */
function reportText(report: ImportReport): string {
  const { id, state, rowsRead, created, updated, unchanged, rejected } = report;
  const numbers = `${String(rowsRead)} rows read: ${String(created)} created, ${String(updated)} updated, ${String(unchanged)} unchanged, ${String(rejected)} rejected`;
  const shown = report.errors.slice(0, MAX_LINES);
  const lines = shown.flatMap(({ line, details }) =>
    details.map(({ field, message }) => `  line ${String(line)}: ${field} ${message}`),
  );
  const others = rejected - shown.length;
  const rest = others > 0 ? [`  and ${String(others)} more rejected lines`] : [];
  return [`Import ${id} ${state}. ${numbers}.`, ...lines, ...rest].join('\n');
}

/** Formats the failure of an import. With `--json`, the report has the rejected lines. */
function failureText({ report, cause }: ImportError, options: Options): string {
  const { failure, nextLine } = report;
  const { code, message } = cause instanceof ApiError ? cause : (failure ?? {});
  const request = cause instanceof ApiError ? ` (request ${String(cause.requestId)})` : '';
  const reasons = code === undefined ? [] : [`${code}: ${String(message)}${request}`];
  if (options.json === true) return reasons[0] ?? `The import has the state ${report.state}.`;
  const end = nextLine === null ? [] : [continuation(nextLine, options.idempotencyKey)];
  return [reportText(report), ...reasons, ...end].join('\n');
}

function continuation(nextLine: number, key: string | undefined): string {
  const line = String(nextLine);
  const also = key === undefined ? '' : ' and another --idempotency-key';
  return `Continue from line ${line}. Run the command again with --start-line ${line}${also}.`;
}
