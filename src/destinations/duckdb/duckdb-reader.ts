/**
 * Program that reads the result of one query from a file of DuckDB. The service starts it as a process
 * of its own for each query, and kills it to cancel the query. The file is opened to be read, and DuckDB
 * can access nothing else: no other file, no network, no extension.
 */
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DuckDBConnection, DuckDBExtractedStatements, DuckDBType } from '@duckdb/node-api';
import { DestinationError } from '../destination';
import type { ResultColumn, ResultRow } from '../source';
import { beModest, die, loadDriver, SAFE_OPTIONS } from './duckdb-driver';
import { FILE_MEANINGS, QUERY_MEMORY, type SentError, sentError } from './duckdb-error';
import { NESTED_TYPES, TOO_LONG } from './duckdb-sql';
import { memoryLimit } from './process-memory';
import { checkColumns, PrintedResult } from './printed-result';

/** What to read. */
export interface ReadRequest {
  readonly file: string;
  readonly memoryBytes: number;
  readonly text: string;
  readonly maxRowBytes: number;
}

/** The service sends a request, and then `next` for each batch. */
export type ReadCall = ReadRequest | 'next';

/** The columns come first. After the last row, a batch is empty. */
export type ReadResult =
  | { readonly columns: readonly ResultColumn[] }
  | { readonly rows: readonly ResultRow[] }
  | { readonly error: SentError };

const THREADS = 2;
/** As PostgreSQL. The service has all of their names and types in memory. */
const MAX_COLUMNS = 1_664;
const MAX_TYPE_LENGTH = 200;
const LONG_TYPES: readonly string[] = [...NESTED_TYPES, 'ENUM'];

/** Directories of the file, as the service and as DuckDB name it. */
let directories: readonly string[] = [];

/** Removes the directories of the file from a text: the operator's directories are not for users. */
function withoutDirectories(text: string): string {
  return directories.reduce((shown, directory) => shown.replaceAll(directory, ''), text);
}

/** A query in progress. */
class Reading {
  private constructor(
    readonly columns: readonly ResultColumn[],
    private readonly result: PrintedResult,
    private readonly maxRowBytes: number,
  ) {}

  static async start({ file, memoryBytes, text, maxRowBytes }: ReadRequest): Promise<Reading> {
    const { DuckDBInstance: Instance } = await loadDriver();
    directories = [dirname(file), dirname(realpathSync(file))].map((path) => `${path}/`);
    const instance = await Instance.create(file, {
      ...SAFE_OPTIONS,
      access_mode: 'READ_ONLY',
      memory_limit: memoryLimit(memoryBytes),
      threads: String(THREADS),
      // Nothing is written to the disk.
      temp_directory: '',
    });
    const connection = await instance.connect();
    await connection.run("SET GLOBAL TimeZone = 'UTC'");
    await connection.run('SET enable_external_access = false');
    await connection.run('SET lock_configuration = true');
    // DuckDB would end the text there.
    if (text.includes('\0')) throw notOneSelect();
    try {
      return await Reading.of(connection, text, maxRowBytes);
    } catch (error) {
      throw queryError(error, maxRowBytes);
    }
  }

  private static async of(
    connection: DuckDBConnection,
    text: string,
    maxRowBytes: number,
  ): Promise<Reading> {
    const statements = await extract(connection, text);
    if (statements?.count !== 1) throw notOneSelect();
    const { DuckDBTypeId: typeIds, StatementType } = await loadDriver();
    const prepared = await statements.prepare(0);
    if (prepared.statementType !== StatementType.SELECT) throw notOneSelect();
    if (prepared.parameterCount > 0) throw notOneSelect();
    const indexes = Array.from({ length: prepared.columnCount }, (_, index) => index);
    const names = indexes.map((index) => prepared.columnName(index));
    checkColumns(names, MAX_COLUMNS);
    const types = indexes.map((index): string => typeIds[prepared.columnTypeId(index)]);
    const columns = types.map((id, index) => {
      // The description of these types can be of any length.
      const type = LONG_TYPES.includes(id) ? id : describe(prepared.columnType(index));
      return { name: names[index] ?? '', type };
    });
    await connection.run('BEGIN');
    const query = { text, types, maxRowCharacters: maxRowBytes };
    return new Reading(columns, await PrintedResult.start(connection, query), maxRowBytes);
  }

  /** Returns the next rows; none after the last one. */
  async next(): Promise<ResultRow[]> {
    try {
      const rows = await this.result.next();
      return rows.map((row) => row.map((value) => value && withoutDirectories(value)));
    } catch (error) {
      throw queryError(error, this.maxRowBytes);
    }
  }
}

const describe = (type: DuckDBType): string =>
  (type.alias ?? type.toString()).slice(0, MAX_TYPE_LENGTH);

function notOneSelect(): Error {
  const message = 'The query must be one SELECT statement without parameters. Correct it.';
  return new DestinationError('configuration', message);
}

function tooLong(bytes: number): Error {
  const message = `A row of the result has more than ${String(bytes)} bytes. Select fewer or shorter columns.`;
  return new DestinationError('configuration', message);
}

let reading: Reading | undefined;

async function perform(call: ReadCall): Promise<ReadResult> {
  if (call !== 'next') {
    reading = await Reading.start(call);
    return { columns: reading.columns };
  }
  return { rows: (await reading?.next()) ?? [] };
}

function respond(call: ReadCall): void {
  perform(call)
    .catch((error: unknown) => ({ error: openError(error) }))
    .then(
      (result) => process.send?.(result),
      () => {
        die();
      },
    );
}

/** Returns the statements of a text; `null` if it has none, which the driver reports as its own failure. */
async function extract(
  connection: DuckDBConnection,
  text: string,
): Promise<DuckDBExtractedStatements | null> {
  try {
    return await connection.extractStatements(text);
  } catch (error) {
    if (textOf(error).startsWith('Failed to extract statements')) throw error;
    return null;
  }
}

const MAX_MESSAGE_LENGTH = 300;
const FROM_FILE = /^(IO|Serialization) Error/i;

/** Returns the error of a query: once the file is open, only the query or the file can be wrong. */
function queryError(error: unknown, maxRowBytes: number): unknown {
  if (error instanceof DestinationError) return error;
  const text = textOf(error);
  if (text.includes(TOO_LONG)) return tooLong(maxRowBytes);
  if (/^Out of Memory|bad_alloc/i.test(text)) {
    return new DestinationError('configuration', QUERY_MEMORY);
  }
  if (FROM_FILE.test(text)) return error;
  const [first = ''] = withoutDirectories(text).split('\n', 1);
  const message = `The query failed. Correct it. DuckDB: ${first.slice(0, MAX_MESSAGE_LENGTH)}`;
  return new DestinationError('configuration', message);
}

/** Returns the error of a query, or of a file that cannot be opened or read. */
function openError(error: unknown): SentError {
  const text = textOf(error);
  if (!(error instanceof DestinationError) && /database does not exist|No such file/i.test(text)) {
    const message =
      'The file does not exist yet. A sync of a connection creates it, or the operator copies it there.';
    return { type: 'configuration', message, cause: '' };
  }
  const sent = sentError(error, FILE_MEANINGS);
  if (sent.type !== 'other') return sent;
  const message =
    'The file cannot be read. The import is repeated. If this happens again, move the file away.';
  return { type: 'unavailable', message, cause: sent.message };
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

process.on('message', (message) => {
  respond(message as ReadCall);
});
process.on('disconnect', () => {
  die();
});
beModest();
