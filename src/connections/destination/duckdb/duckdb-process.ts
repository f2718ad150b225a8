/**
 * Program that has one file of DuckDB open. The service starts it as a process of its own: DuckDB is
 * native code and takes much memory, and neither a crash nor the kernel's memory killer must end the
 * service. It ends with the service.
 */
import { mkdir, rm } from 'node:fs/promises';
import type { DuckDBInstance } from '@duckdb/node-api';
import type { TargetTable } from '../destination';
import { beModest, die, loadDriver, SAFE_OPTIONS } from './duckdb-driver';
import { isFatal, type SentError, sentError } from './duckdb-error';
import { quoted } from './duckdb-sql';
import { DuckdbSession } from './duckdb-session.repository';
import { DuckdbTableRepository } from './duckdb-table.repository';

/** The file to open, and where temporary data may be. */
export interface DatabaseOptions {
  readonly file: string;
  /** Directory for lines and temporary data. It is emptied. DuckDB can read no other one. */
  readonly workDirectory: string;
  readonly memoryBytes: number;
}

/** Methods that the service can call on an open table. */
export type TableMethod = {
  [Name in keyof DuckdbTableRepository]: DuckdbTableRepository[Name] extends (
    ...parameters: never[]
  ) => Promise<unknown>
    ? Name
    : never;
}[keyof DuckdbTableRepository];

/** A call of the service. `table` is a number that the service has chosen. */
export type DatabaseCall =
  | { readonly method: 'start'; readonly options: DatabaseOptions }
  | { readonly method: 'test' }
  | { readonly method: 'open'; readonly table: number; readonly target: TargetTable }
  | { readonly method: 'close'; readonly table: number }
  | { readonly method: 'end' }
  | {
      readonly method: TableMethod;
      readonly table: number;
      readonly parameters: readonly unknown[];
    };

export type SentCall = DatabaseCall & { readonly call: number };
export type SentResult =
  | { readonly call: number; readonly result: unknown }
  | { readonly call: number; readonly error: SentError };

const MAX_THREADS = 2;

type Methods = Readonly<
  Record<TableMethod, (...parameters: readonly unknown[]) => Promise<unknown>>
>;

interface OpenTable {
  readonly session: DuckdbSession;
  readonly repository: DuckdbTableRepository;
  /** Settles when the last call has. */
  last: Promise<unknown>;
}

class Database {
  private readonly tables = new Map<number, OpenTable>();
  /** Settles when the last claim has. */
  private claims: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly instance: DuckDBInstance,
    private readonly name: string,
    private readonly workDirectory: string,
  ) {}

  static async open({ file, workDirectory, memoryBytes }: DatabaseOptions): Promise<Database> {
    const { DuckDBInstance: Instance } = await loadDriver();
    const instance = await Instance.create(file, {
      memory_limit: `${String(memoryBytes)}B`,
      threads: String(MAX_THREADS),
      temp_directory: workDirectory,
      // The order of ids comes from the lines. To keep it elsewhere takes memory.
      preserve_insertion_order: 'false',
      ...SAFE_OPTIONS,
    });
    // The file is locked: what is in the directory was left behind.
    await rm(workDirectory, { recursive: true, force: true });
    await mkdir(workDirectory, { mode: 0o700 });
    const connection = await instance.connect();
    await connection.run("SET GLOBAL TimeZone = 'UTC'");
    await connection.run(`SET allowed_directories = ['${workDirectory.replaceAll("'", "''")}']`);
    await connection.run('SET enable_external_access = false');
    await connection.run('SET lock_configuration = true');
    const result = await connection.runAndReadAll('FROM (VALUES (current_database()))');
    const [[name] = []] = result.getRowsJson();
    connection.closeSync();
    return new Database(instance, typeof name === 'string' ? name : '', workDirectory);
  }

  /** Checks that a table can be created. Nothing is written to the file. */
  async test(): Promise<void> {
    const connection = await this.instance.connect();
    try {
      await connection.run('BEGIN TRANSACTION');
      await connection.run(`CREATE TABLE ${quoted(this.name)}.main._datagrid_test (id BIGINT)`);
      await connection.run('ROLLBACK');
    } finally {
      connection.closeSync();
    }
  }

  async openTable(table: number, target: TargetTable): Promise<void> {
    const connection = await this.instance.connect();
    const session = new DuckdbSession(connection, this.name, target.id);
    const repository = new DuckdbTableRepository(session, target);
    this.tables.set(table, { session, repository, last: Promise.resolve() });
  }

  callTable(table: number, method: TableMethod, parameters: readonly unknown[]): Promise<unknown> {
    const open = this.tables.get(table);
    if (open === undefined) throw new Error('The table is closed.');
    const repository = open.repository as unknown as Methods;
    const call = (): Promise<unknown> => repository[method](...parameters);
    const result = method === 'claim' ? this.afterClaims(call) : call();
    open.last = result.catch(() => undefined);
    return result;
  }

  /** Runs claims one after another: the first one creates the table of the states. */
  private afterClaims(claim: () => Promise<unknown>): Promise<unknown> {
    const result = this.claims.then(claim);
    this.claims = result.catch(() => undefined);
    return result;
  }

  /** Interrupts a call in progress, which rolls back. */
  async closeTable(table: number): Promise<void> {
    const open = this.tables.get(table);
    if (open === undefined) return;
    this.tables.delete(table);
    open.session.stop();
    await open.last;
    open.session.close();
  }

  async end(): Promise<void> {
    for (const table of this.tables.keys()) await this.closeTable(table);
    const connection = await this.instance.connect();
    // If it fails, as on a full disk, the next one to open the file finds the changes in its log.
    await connection.run('CHECKPOINT').catch(() => undefined);
    connection.closeSync();
    // While the file is still locked: the next process has the same directory.
    await rm(this.workDirectory, { recursive: true, force: true });
    this.instance.closeSync();
  }
}

let database: Database | undefined;

async function perform(call: DatabaseCall): Promise<unknown> {
  if (call.method === 'start') {
    database = await Database.open(call.options);
    return null;
  }
  if (database === undefined) throw new Error('The file is not open.');
  if (call.method === 'test') return database.test();
  if (call.method === 'end') {
    await database.end();
    database = undefined;
    return null;
  }
  if (call.method === 'open') return database.openTable(call.table, call.target);
  if (call.method === 'close') return database.closeTable(call.table);
  return database.callTable(call.table, call.method, call.parameters);
}

async function respond({ call, ...request }: SentCall): Promise<void> {
  const send = (sent: SentResult, then: () => void): void => {
    process.send?.(sent, then);
  };
  try {
    const result = await perform(request);
    send({ call, result }, () => {
      if (request.method === 'end') process.disconnect();
    });
  } catch (error) {
    send({ call, error: sentError(error) }, () => {
      if (isFatal(error)) die();
    });
  }
}

process.on('message', (message) => void respond(message as SentCall));
process.on('disconnect', () => {
  if (database !== undefined) die();
});
beModest();
