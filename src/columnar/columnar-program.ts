/**
 * Program that has the database of the columnar copies open, and carries out statements of the service,
 * which starts it as a process of its own.
 */
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import {
  type DatabaseOptions,
  openDatabase,
  serveCalls,
} from '../destinations/duckdb/duckdb-program';

/** Values of a row, each printed by DuckDB. */
export type PrintedRow = readonly (string | null)[];

/** A call of the service. `session` is a number that the service has chosen. */
export type ColumnarCall =
  | { readonly method: 'start'; readonly options: DatabaseOptions }
  /** Runs statements without results, one after another. */
  | { readonly method: 'run'; readonly session: number; readonly statements: readonly string[] }
  /** Returns the rows of a statement whose columns are texts, as `PrintedRow[]`. */
  | {
      readonly method: 'select';
      readonly session: number;
      readonly statement: string;
      readonly maxCharacters: number;
    }
  | { readonly method: 'interrupt'; readonly session: number }
  | { readonly method: 'close'; readonly session: number };

class Database {
  private readonly sessions = new Map<number, Promise<DuckDBConnection>>();

  private constructor(private readonly instance: DuckDBInstance) {}

  static async open(options: DatabaseOptions): Promise<Database> {
    return new Database(await openDatabase(options));
  }

  async run(session: number, statements: readonly string[]): Promise<void> {
    const connection = await this.connect(session);
    for (const statement of statements) await connection.run(statement);
  }

  async select(session: number, statement: string, maxCharacters: number): Promise<PrintedRow[]> {
    const connection = await this.connect(session);
    const result = await connection.stream(statement);
    const rows: PrintedRow[] = [];
    let length = 0;
    for (;;) {
      const chunk = await result.fetchChunk();
      const count = chunk?.rowCount ?? 0;
      if (!chunk || count === 0) return rows;
      for (const row of chunk.getRows() as PrintedRow[]) {
        length += row.reduce((sum, value) => sum + (value?.length ?? 0), row.length);
        if (length > maxCharacters) throw new Error('The result is too long.');
        rows.push(row);
      }
    }
  }

  async interrupt(session: number): Promise<void> {
    (await this.sessions.get(session))?.interrupt();
  }

  async close(session: number): Promise<void> {
    const connection = await this.sessions.get(session);
    this.sessions.delete(session);
    connection?.closeSync();
  }

  private connect(session: number): Promise<DuckDBConnection> {
    const connection = this.sessions.get(session) ?? this.instance.connect();
    this.sessions.set(session, connection);
    return connection;
  }
}

let database: Database | undefined;

async function perform(call: ColumnarCall): Promise<unknown> {
  if (call.method === 'start') {
    database = await Database.open(call.options);
    return null;
  }
  if (!database) throw new Error('The database is not open.');
  switch (call.method) {
    case 'run':
      await database.run(call.session, call.statements);
      return null;
    case 'select':
      return database.select(call.session, call.statement, call.maxCharacters);
    case 'interrupt':
      await database.interrupt(call.session);
      return null;
    case 'close':
      await database.close(call.session);
      return null;
  }
}

serveCalls<ColumnarCall>({ perform, isOpen: () => database !== undefined, meanings: [] });
