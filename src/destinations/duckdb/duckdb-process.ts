/**
 * Program that has one file of DuckDB open. The service starts it as a process of its own.
 */
import { rm } from 'node:fs/promises';
import type { DuckDBInstance } from '@duckdb/node-api';
import type { TargetTable } from '../destination';
import { FILE_MEANINGS } from './duckdb-error';
import { type DatabaseOptions, openDatabase, serveCalls } from './duckdb-program';
import { quoted } from './duckdb-sql';
import { DuckdbSession } from './duckdb-session.repository';
import { DuckdbTableRepository } from './duckdb-table.repository';

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
  | { readonly method: 'pause' }
  | { readonly method: 'resume' }
  | { readonly method: 'end' }
  | {
      readonly method: TableMethod;
      readonly table: number;
      readonly parameters: readonly unknown[];
    };

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
  /** Settles when calls on tables may begin. */
  private resumed: Promise<unknown> = Promise.resolve();
  private resumeCalls: () => void = () => undefined;

  private constructor(
    private readonly instance: DuckDBInstance,
    private readonly name: string,
    private readonly workDirectory: string,
  ) {}

  static async open(options: DatabaseOptions): Promise<Database> {
    const instance = await openDatabase(options);
    const connection = await instance.connect();
    const result = await connection.runAndReadAll('FROM (VALUES (current_database()))');
    const [[name] = []] = result.getRowsJson();
    connection.closeSync();
    return new Database(instance, typeof name === 'string' ? name : '', options.workDirectory);
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
    const call = async (): Promise<unknown> => {
      await this.resumed;
      return repository[method](...parameters);
    };
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

  /** Lets no call begin until `resume`, and makes the file complete once those in progress have ended. */
  async pause(): Promise<void> {
    const inProgress = [...this.tables.values()].map(({ last }) => last);
    this.resumed = new Promise<void>((resolve) => {
      this.resumeCalls = resolve;
    });
    await Promise.all(inProgress);
    const connection = await this.instance.connect();
    try {
      await connection.run('CHECKPOINT');
    } finally {
      connection.closeSync();
    }
  }

  resume(): void {
    this.resumeCalls();
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
  if (call.method === 'pause') return database.pause();
  if (call.method === 'resume') {
    database.resume();
    return null;
  }
  if (call.method === 'end') {
    await database.end();
    database = undefined;
    return null;
  }
  if (call.method === 'open') return database.openTable(call.table, call.target);
  if (call.method === 'close') return database.closeTable(call.table);
  return database.callTable(call.table, call.method, call.parameters);
}

serveCalls<DatabaseCall>({
  perform,
  isOpen: () => database !== undefined,
  meanings: FILE_MEANINGS,
});
