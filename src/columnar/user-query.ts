import type { DuckDBConnection, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { DestinationError } from '../destinations/destination';
import { loadDriver } from '../destinations/duckdb/duckdb-driver';
import { isFatal } from '../destinations/duckdb/duckdb-error';
import {
  type BoundParameters,
  checkColumns,
  PrintedResult,
} from '../destinations/duckdb/printed-result';
import { TOO_LONG } from '../destinations/duckdb/duckdb-sql';
import type { ResultColumn, ResultRow } from '../destinations/source';
import { parquetSql, withoutRowsSql } from './statement-sql';

/** Value of a parameter. A number without a fraction is an integer. */
export type ParameterValue = string | number | boolean | null;

/** Parameters by position or by name. */
export type Parameters = readonly ParameterValue[] | Readonly<Record<string, ParameterValue>>;

/** A statement of a user. */
export interface UserQuery {
  /** One SELECT without a semicolon. */
  readonly text: string;
  readonly parameters: Parameters;
  /** Maximum size of the values of one row, in characters. */
  readonly maxRowCharacters: number;
}

/** A Parquet file to write. */
export interface UserFile extends Pick<UserQuery, 'text' | 'parameters'> {
  readonly path: string;
  /** Maximum number of rows; `null` for all. */
  readonly limit: number | null;
}

const MAX_COLUMNS = 1_000;
const MAX_TYPE_LENGTH = 200;
const MAX_MESSAGE_LENGTH = 500;

/** Message of a statement that needs more memory, or more disk space, than it gets. */
export const TOO_MUCH_MEMORY =
  'The query needs too much memory. Read fewer rows, or group or sort by fewer values.';

/** A column of a result. */
export interface UserColumn extends ResultColumn {
  /** Name of the type in `DuckDBTypeId`. `type` is text that users can choose, such as that of an ENUM. */
  readonly typeId: string;
}

/** The result of a user's statement. Errors of the statement are DestinationErrors. */
export class UserResult {
  private constructor(
    readonly columns: readonly UserColumn[],
    private readonly result: PrintedResult,
  ) {}

  /** @throws DestinationError if the statement is not valid. */
  static async start(
    connection: DuckDBConnection,
    { text, parameters, maxRowCharacters }: UserQuery,
  ): Promise<UserResult> {
    try {
      await requireSelect(connection, text);
      const bindings = await bound(parameters);
      const columns = (await columnsOf(connection, text, bindings)).map(
        ({ name, type, typeId }) => {
          return { name, type: type.length > MAX_TYPE_LENGTH ? typeId : type, typeId };
        },
      );
      const types = columns.map(({ typeId }) => typeId);
      const query = { text, types, parameters: bindings, maxRowCharacters };
      return new UserResult(columns, await PrintedResult.start(connection, query));
    } catch (error) {
      throw userError(error);
    }
  }

  /** Returns the next rows; none after the last one. @throws DestinationError */
  async next(): Promise<ResultRow[]> {
    try {
      return await this.result.next();
    } catch (error) {
      throw userError(error);
    }
  }
}

/**
 * Writes the rows of a statement into a Parquet file.
 * @returns the number of rows.
 * @throws DestinationError if the statement is not valid.
 */
export async function writeUserFile(
  connection: DuckDBConnection,
  { text, parameters, path, limit }: UserFile,
): Promise<number> {
  try {
    await requireSelect(connection, text);
    const bindings = await bound(parameters);
    const columns = await columnsOf(connection, text, bindings);
    const sql = parquetSql(text, columns, path, limit);
    const result = await connection.runAndReadAll(sql, bindings.values, bindings.types);
    return Number(result.getRows()[0]?.[0]);
  } catch (error) {
    throw userError(error);
  }
}

/** The service has checked the statement. This is the same promise once more, by the engine itself. */
async function requireSelect(connection: DuckDBConnection, text: string): Promise<void> {
  const { StatementType } = await loadDriver();
  const statements = await connection.extractStatements(text);
  const prepared = statements.count === 1 ? await statements.prepare(0) : null;
  if (prepared?.statementType !== StatementType.SELECT) {
    throw new DestinationError('configuration', 'The statement must be one SELECT.');
  }
}

/** Returns the columns of a statement. Only parameters with values have types. */
async function columnsOf(
  connection: DuckDBConnection,
  text: string,
  { values, types }: BoundParameters,
): Promise<readonly UserColumn[]> {
  const { DuckDBTypeId: typeIds } = await loadDriver();
  const empty = await connection.stream(withoutRowsSql(text), values, types);
  const names = empty.columnNames();
  checkColumns(names, MAX_COLUMNS);
  return names.map((name, index) => {
    const [type, typeId] = [empty.columnType(index), typeIds[empty.columnTypeId(index)]];
    return { name, type: type.alias ?? type.toString(), typeId };
  });
}

/** Types the values: the driver would take an integer for a HUGEINT, which few functions accept. */
async function bound(parameters: Parameters): Promise<BoundParameters> {
  const { BIGINT, BOOLEAN, DOUBLE, INTEGER, SQLNULL, VARCHAR } = await loadDriver();
  const valueOf = (sent: ParameterValue): DuckDBValue =>
    typeof sent === 'number' && Number.isSafeInteger(sent) && !isInt32(sent) ? BigInt(sent) : sent;
  const typeOf = (sent: ParameterValue): DuckDBType => {
    if (sent === null) return SQLNULL;
    if (typeof sent === 'string') return VARCHAR;
    if (typeof sent === 'boolean') return BOOLEAN;
    if (isInt32(sent)) return INTEGER;
    return Number.isSafeInteger(sent) ? BIGINT : DOUBLE;
  };
  if (Array.isArray(parameters)) {
    return { values: parameters.map(valueOf), types: parameters.map(typeOf) };
  }
  const entries = Object.entries(parameters);
  return {
    values: Object.fromEntries(entries.map(([name, sent]) => [name, valueOf(sent)])),
    types: Object.fromEntries(entries.map(([name, sent]) => [name, typeOf(sent)])),
  };
}

/** Whether a number fits into an INTEGER. That becomes a BIGINT where one is needed, but not the other way. */
const isInt32 = (value: number): boolean => Number.isInteger(value) && Math.abs(value) < 2 ** 31;

/** Returns the error of a statement. What is not its fault stays as it is. */
function userError(error: unknown): unknown {
  if (error instanceof DestinationError) return error;
  const text = error instanceof Error ? error.message : String(error);
  if (isFatal(error) || /^INTERRUPT/i.test(text)) return error;
  if (text === TOO_LONG || text.startsWith(`Invalid Input Error: ${TOO_LONG}`)) {
    const message = 'A row of the result is too large. Select fewer or shorter columns.';
    return new DestinationError('configuration', message);
  }
  if (
    /^Out of Memory Error|^(?:std::)?bad_alloc|^IO Error: .*(?:offload|max_temp_directory_size)/is.test(
      text,
    )
  ) {
    return new DestinationError('configuration', TOO_MUCH_MEMORY);
  }
  // Statements read no files and no network: the disk of the process has failed.
  if (text.startsWith('IO Error')) return error;
  // What follows shows a part of the statement as the service runs it.
  const [before = ''] = text.split(/\n+LINE \d+:/, 1);
  const message = before.replaceAll(/\s*\n\s*/g, ' ').slice(0, MAX_MESSAGE_LENGTH);
  return new DestinationError('configuration', message);
}
