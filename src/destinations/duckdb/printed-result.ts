import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBResult,
  DuckDBType,
  DuckDBValue,
} from '@duckdb/node-api';
import { BATCH_CHARACTERS, lengthOf, type ResultRow } from '../source';
import { DestinationError } from '../destination';
import { PRINTED_PREFIX, printedSql, TOO_LONG } from './duckdb-sql';

/** Maximum number of bytes of UTF-8 for one character of JavaScript. */
const BYTES_PER_CHARACTER = 3;
const MAX_NAME_LENGTH = 200;

/** Values of parameters, by position or by name, each with its type. */
export interface BoundParameters {
  readonly values: DuckDBValue[] | Record<string, DuckDBValue>;
  readonly types: DuckDBType[] | Record<string, DuckDBType>;
}

/** A statement that returns rows, and how its values are printed. */
export interface PrintedQuery {
  /** One statement without a semicolon. */
  readonly text: string;
  /** Types of its columns, by their names in `DuckDBTypeId`. */
  readonly types: readonly string[];
  readonly parameters?: BoundParameters;
  /** Maximum size of the values of one row, in characters. */
  readonly maxRowCharacters: number;
}

/**
 * The result of a statement as texts, which is read in batches. The methods throw the errors of DuckDB, and
 * one with the message `TOO_LONG`.
 *
 * A result that fails while its rows are read looks complete: the driver returns no error. Its transaction is
 * aborted, though, which the next statement shows.
 */
export class PrintedResult {
  private chunk: DuckDBDataChunk | null = null;
  private at = 0;

  private constructor(
    private readonly connection: DuckDBConnection,
    private readonly result: DuckDBResult,
    private readonly maxRowCharacters: number,
  ) {}

  /** @param connection In a transaction, whose statements all succeeded. */
  static async start(
    connection: DuckDBConnection,
    { text, types, parameters, maxRowCharacters }: PrintedQuery,
  ): Promise<PrintedResult> {
    const printed = printedSql(text, types, BYTES_PER_CHARACTER * maxRowCharacters);
    const result = await connection.stream(printed, parameters?.values, parameters?.types);
    return new PrintedResult(connection, result, maxRowCharacters);
  }

  /** Returns the next rows; none after the last one. */
  async next(): Promise<ResultRow[]> {
    if (this.chunk === null || this.at === this.chunk.rowCount) {
      this.chunk = await this.result.fetchChunk();
      this.at = 0;
    }
    const rows: ResultRow[] = [];
    const count = this.chunk?.rowCount ?? 0;
    if (count === 0) await this.requireComplete();
    for (let length = 0; this.chunk && this.at < count && length < BATCH_CHARACTERS;) {
      const values = this.chunk.getRowValues(this.at) as ResultRow;
      const row = values.map((value) => value && value.slice(PRINTED_PREFIX.length));
      this.at += 1;
      const rowLength = lengthOf(row);
      if (rowLength > this.maxRowCharacters) throw new Error(TOO_LONG);
      length += rowLength;
      rows.push(row);
    }
    return rows;
  }

  private async requireComplete(): Promise<void> {
    try {
      await this.connection.run('FROM (VALUES (1))');
    } catch (cause) {
      if (!(cause instanceof Error && cause.message.startsWith('TransactionContext'))) throw cause;
      throw new Error('A row after those that were returned is not valid.', { cause });
    }
  }
}

/**
 * Checks the columns of a result, which the service has in memory.
 * @throws DestinationError if there are more than `max`, or if one has a long name.
 */
export function checkColumns(names: readonly string[], max: number): void {
  if (names.length > max) {
    const message = `The result has more than ${String(max)} columns. Select fewer.`;
    throw new DestinationError('configuration', message);
  }
  if (names.some((name) => name.length > MAX_NAME_LENGTH)) {
    const message = `A column of the result has a name of more than ${String(MAX_NAME_LENGTH)} characters. Name it with AS.`;
    throw new DestinationError('configuration', message);
  }
}
