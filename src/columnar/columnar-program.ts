/**
 * Program that has the database of the columnar copies open, and carries out statements of the service,
 * which starts it as a process of its own.
 */
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { ResultRow } from '../destinations/source';
import {
  type DatabaseOptions,
  openDatabase,
  serveCalls,
} from '../destinations/duckdb/duckdb-program';
import {
  type UserColumn,
  type UserFile,
  type UserQuery,
  UserResult,
  writeUserFile,
} from './user-query';

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
  /** Starts a statement of a user, and returns its columns as `UserColumn[]`. */
  | { readonly method: 'query'; readonly session: number; readonly query: UserQuery }
  /** Returns the next rows of that statement as `ResultRow[]`; none after the last one. */
  | { readonly method: 'next'; readonly session: number }
  /** Writes a file with the rows of a statement of a user, and returns their number. */
  | { readonly method: 'write'; readonly session: number; readonly file: UserFile }
  | { readonly method: 'interrupt'; readonly session: number }
  | { readonly method: 'close'; readonly session: number };

class Database {
  private readonly sessions = new Map<number, Promise<DuckDBConnection>>();
  private readonly results = new Map<number, UserResult>();

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
    // A stream that fails looks complete.
    const result = await connection.run(statement);
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

  async query(session: number, query: UserQuery): Promise<readonly UserColumn[]> {
    const result = await UserResult.start(await this.connect(session), query);
    this.results.set(session, result);
    return result.columns;
  }

  async next(session: number): Promise<ResultRow[]> {
    return (await this.results.get(session)?.next()) ?? [];
  }

  async write(session: number, file: UserFile): Promise<number> {
    return writeUserFile(await this.connect(session), file);
  }

  async interrupt(session: number): Promise<void> {
    (await this.sessions.get(session))?.interrupt();
  }

  async close(session: number): Promise<void> {
    const connection = await this.sessions.get(session);
    this.sessions.delete(session);
    this.results.delete(session);
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
    case 'query':
      return database.query(call.session, call.query);
    case 'next':
      return database.next(call.session);
    case 'write':
      return database.write(call.session, call.file);
    case 'interrupt':
      await database.interrupt(call.session);
      return null;
    case 'close':
      await database.close(call.session);
      return null;
  }
}

serveCalls<ColumnarCall>({ perform, isOpen: () => database !== undefined, meanings: [] });
