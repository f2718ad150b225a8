import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBResult,
  DuckDBValue,
} from '@duckdb/node-api';
import { BATCH_CHARACTERS, lengthOf, type ResultRow } from '../source';
import { PRINTED_PREFIX, printedSql, TOO_LONG } from './duckdb-sql';

/** Maximum number of bytes of UTF-8 for one character of JavaScript. */
const BYTES_PER_CHARACTER = 3;

/** A statement that returns rows, and how its values are printed. */
export interface PrintedQuery {
  /** One statement without a semicolon. */
  readonly text: string;
  /** Types of its columns, by their names in `DuckDBTypeId`. */
  readonly types: readonly string[];
  readonly parameters?: DuckDBValue[] | Record<string, DuckDBValue>;
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
    const result = await connection.stream(printed, parameters);
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
    if (count === 0) await this.connection.run('FROM (VALUES (1))');
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
}
