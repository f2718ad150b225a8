import type { DuckDBConnection } from '@duckdb/node-api';
import { DestinationError, FencedError, type SyncState, type TargetColumn } from '../destination';
import { isConflict } from './duckdb-error';
import { literal, quoted } from './duckdb-sql';

/** What the database knows of a table: a row of `_datagrid_sync`. */
export interface StoredTable {
  readonly token: number;
  readonly state: SyncState | null;
  /** Columns of the target table; `null` if no load of it was ever finished. */
  readonly columns: readonly TargetColumn[] | null;
}

/** Types of the columns of a table, by name, as the catalog of DuckDB names them. */
export type ColumnTypes = ReadonlyMap<string, string>;

const STATES_NAME = '_datagrid_sync';
const STATES_COLUMNS = ['id', 'token', 'state', 'name', 'columns', 'updated_at'];

/**
 * Transactions of one worker on one table, guarded by its token. Transactions of DuckDB are optimistic:
 * if two change the same row, the second one fails. So a change stores the state at its end, and another
 * worker can claim the table meanwhile, which makes the change fail.
 */
export class DuckdbSession {
  private readonly states: string;
  private token = 0;
  private isStopped = false;

  /**
   * @param database Name of the database in the catalog.
   * @param id UUID of the table.
   */
  constructor(
    private readonly connection: DuckDBConnection,
    private readonly database: string,
    private readonly id: string,
  ) {
    this.states = this.qualified(STATES_NAME);
  }

  /** Returns the full name of a table. */
  qualified(name: string): string {
    return `${quoted(this.database)}.main.${quoted(name)}`;
  }

  /** Claims the table, as `TargetWriter.claim` describes. */
  async claim(token: number): Promise<SyncState | null> {
    await this.createStates();
    const state = await this.transaction(async () => {
      const stored = await this.find();
      if (stored !== null && stored.token >= token) throw new FencedError(stored.token);
      await (stored === null
        ? this.run(`INSERT INTO ${this.states} (token, id) VALUES (?::BIGINT, ?::UUID)`, [
            String(token),
            this.id,
          ])
        : this.update('token = ?::BIGINT', String(token)));
      return stored?.state ?? null;
    });
    this.token = token;
    return state;
  }

  /** Runs a change and stores the state, in one transaction. */
  async change(state: SyncState, work: (stored: StoredTable) => Promise<void>): Promise<void> {
    await this.transaction(async () => {
      await work(await this.get());
      await this.update('state = ?', state);
    });
  }

  /** Runs a change and removes the state, in one transaction. */
  async remove(work: (stored: StoredTable) => Promise<void>): Promise<void> {
    await this.transaction(async () => {
      await work(await this.get());
      await this.run(`DELETE FROM ${this.states} WHERE id = ?::UUID`, [this.id]);
    });
  }

  async read<T>(work: (stored: StoredTable) => Promise<T>): Promise<T> {
    return this.transaction(async () => work(await this.get()));
  }

  /** Stores the columns of the target table, in the transaction of a change. */
  async storeColumns(name: string, columns: readonly TargetColumn[]): Promise<void> {
    await this.update('name = ?, columns = ?', name, JSON.stringify(columns));
  }

  /** Returns the types of the columns of a table; `null` if there is none. */
  async findTypes(name: string): Promise<ColumnTypes | null> {
    const rows = await this.rows(
      `SELECT c.column_name, c.data_type FROM duckdb_columns() c
       JOIN duckdb_tables() t ON t.table_oid = c.table_oid AND t.database_oid = c.database_oid
         AND t.schema_oid = c.schema_oid
       WHERE c.database_name = ? AND c.schema_name = 'main' AND ${sameName('c.table_name')}
       ORDER BY c.column_index`,
      [this.database, name],
    );
    if (rows.length === 0) return null;
    return new Map(rows.map(([column, type]) => [column ?? '', type ?? '']));
  }

  /** Returns whether a table or view has a name. */
  async isTaken(name: string): Promise<boolean> {
    const rows = await this.rows(
      `SELECT table_name FROM information_schema.tables
       WHERE table_catalog = ? AND table_schema = 'main' AND ${sameName('table_name')}`,
      [this.database, name],
    );
    return rows.length > 0;
  }

  async run(sql: string, values: readonly string[] = []): Promise<void> {
    if (this.isStopped && sql !== 'ROLLBACK') throw new Error('The table was closed.');
    await this.connection.run(sql, [...values]);
  }

  /** Returns the rows of a statement whose columns are texts. */
  async rows(sql: string, values: readonly string[] = []): Promise<(string | null)[][]> {
    const result = await this.connection.runAndReadAll(sql, [...values]);
    return result.getRowsJson() as (string | null)[][];
  }

  /** Interrupts a statement in progress; its transaction rolls back. Later ones fail. */
  stop(): void {
    this.isStopped = true;
    this.connection.interrupt();
  }

  /** Closes the connection, which must be idle. */
  close(): void {
    this.connection.closeSync();
  }

  private async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.run('BEGIN TRANSACTION');
    try {
      const result = await work();
      await this.run('COMMIT');
      return result;
    } catch (error) {
      // A failed commit has already rolled back.
      await this.run('ROLLBACK').catch(() => undefined);
      // Perhaps another worker has claimed the table.
      if (this.token > 0 && isConflict(error)) await this.get();
      throw error;
    }
  }

  /** Creates the table of the states. Workers of several tables can do so at a time. */
  private async createStates(): Promise<void> {
    const types = await this.findTypes(STATES_NAME);
    if (types === null) {
      await this.run(`CREATE TABLE IF NOT EXISTS ${this.states} (
        id UUID PRIMARY KEY, token BIGINT NOT NULL, state VARCHAR, name VARCHAR, columns VARCHAR,
        updated_at TIMESTAMP WITH TIME ZONE)`);
    } else if (!STATES_COLUMNS.every((name) => types.has(name))) {
      throw new DestinationError(
        'configuration',
        `The file has another table with the name ${STATES_NAME}, in which a sync stores its state. Rename that table.`,
      );
    }
  }

  /** @throws FencedError if another worker has claimed the table. */
  private async get(): Promise<StoredTable> {
    const stored = await this.find();
    if (stored?.token !== this.token) throw new FencedError(stored?.token ?? 0);
    return stored;
  }

  private async find(): Promise<StoredTable | null> {
    const [row] = await this.rows(
      `SELECT token::VARCHAR, state, columns FROM ${this.states} WHERE id = ?::UUID`,
      [this.id],
    );
    if (row === undefined) return null;
    const [token, state, columns] = row;
    return {
      token: Number(token),
      state: state ?? null,
      columns: columns ? (JSON.parse(columns) as TargetColumn[]) : null,
    };
  }

  private async update(assignments: string, ...values: readonly string[]): Promise<void> {
    await this.run(
      `UPDATE ${this.states} SET ${assignments}, updated_at = now() WHERE id = ?::UUID`,
      [...values, this.id],
    );
  }
}

/** Compares names as the catalog of DuckDB does: without the case of ASCII letters. */
function sameName(column: string): string {
  const [upper, lower] = ['ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'].map(literal);
  const folded = (value: string): string => `translate(${value}, ${upper ?? ''}, ${lower ?? ''})`;
  return `${folded(column)} = ${folded('?')}`;
}
