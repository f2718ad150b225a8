import type { ColumnarProcess, ColumnarSession } from '../columnar/columnar-database';
import type { ColumnarCopy } from '../columnar/columnar-copy';
import { follow } from '../columnar/copy-follower';
import { CopyFailedError } from '../columnar/copy-failed';
import { LinesTooLongError } from '../columnar/copy-lines-file';
import { CopyLoader } from '../columnar/copy-loader';
import { beginReading } from '../columnar/copy-table.repository';
import { ExclusiveWork } from '../common/async/exclusive-work';
import type { QuerySnapshot } from '../platform/database/query-pool';
import { type SqlTable, sqlColumns, unfitDecimals, viewSql } from './sql-table';

/** Limits of the changes that a query writes to a copy in its snapshot. */
const MAX_FOLLOWED = {
  texts: [],
  maxRows: 2_000,
  maxBytes: 8 * 1024 * 1024,
  writesPart: false,
} as const;

/** Time that a call may take: more than a statement of a user. Then the process ends. */
const MAX_CALL_MS = 6 * 60 * 1_000;

/** Runs work in a snapshot of PostgreSQL. */
export type InSnapshot = <T>(work: (snapshot: QuerySnapshot) => Promise<T>) => Promise<T>;

/** Asks whether a load may go on. @param bytes Size of its lines so far. */
export type GoesOn = (bytes: number) => Promise<boolean>;

/**
 * The copies of one workspace, or of the part of it that a limited key has access to, in a process of their
 * own: a statement cannot read what its process does not have.
 */
export class SqlCopies {
  private readonly copies = new Map<string, ColumnarCopy>();
  /** Ids of the decimal columns that are texts, by datagrid. */
  private readonly texts = new Map<string, Set<number>>();
  /** Queries bring the copies to their snapshots one at a time. */
  private readonly turns = new ExclusiveWork();

  constructor(
    private readonly accountId: string,
    private readonly process: ColumnarProcess,
    private readonly loader: CopyLoader,
    private readonly goesOn: GoesOn,
  ) {}

  get isUsable(): boolean {
    return !this.process.signal.aborted;
  }

  /** Size of the copies when they were loaded. */
  get bytes(): number {
    return [...this.copies.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Directory for files that the process writes. It goes with the process. */
  get workDirectory(): string {
    return this.process.workDirectory;
  }

  /** Maximum size of such a file. */
  get maxFileBytes(): number {
    return this.process.maxSpillBytes;
  }

  connect(): ColumnarSession {
    return this.process.connect(MAX_CALL_MS);
  }

  /** Ends the process, and removes the copies. */
  end(): Promise<void> {
    return this.process.end();
  }

  /**
   * Runs work alone: nothing else changes the copies.
   * @returns `null` if the work cannot start within `maxWaitMs`.
   */
  alone<T>(work: () => Promise<T>, maxWaitMs: number): Promise<T | null> {
    return this.turns.run(work, maxWaitMs);
  }

  /** Drops the copies that were not used since a time of `performance.now`. Never throws. */
  async dropUnused(sinceMs: number): Promise<void> {
    const unused = (): ColumnarCopy[] =>
      [...this.copies.values()].filter(({ usedAtMs }) => usedAtMs < sinceMs);
    if (unused().length === 0) return;
    await this.turns.run(async () => {
      for (const copy of unused()) await this.drop(copy);
    });
  }

  /**
   * Loads what is missing of some tables, and writes long lists of changes. Call it alone.
   * @returns whether all tables have a copy. If not, a datagrid or its columns have changed meanwhile, or
   *   there is no room.
   */
  async prepare(tables: readonly SqlTable[]): Promise<boolean> {
    for (const table of tables) {
      if (!(await this.prepareTable(table))) return false;
    }
    return true;
  }

  /**
   * Brings the copies of some tables to one snapshot, and begins to read them under their names. Call it
   * alone. Later work does not change what the session reads.
   * @returns the revisions of the tables; `null` if a copy is missing or lacks too much, so that `prepare` is
   *   needed.
   */
  async begin(
    session: ColumnarSession,
    tables: readonly SqlTable[],
    inSnapshot: InSnapshot,
  ): Promise<readonly number[] | null> {
    const copies = tables.flatMap(({ schema }) => this.copyOf(schema) ?? []);
    if (copies.length < tables.length) return null;
    const isCurrent = await inSnapshot((snapshot) => this.followAll(copies, snapshot, session));
    if (!isCurrent) return null;
    for (const copy of copies) copy.usedAtMs = performance.now();
    const [first] = copies;
    // A result that fails aborts the transaction, which is how it is known.
    if (first) await beginReading(session, first.state.table);
    else await session.run('BEGIN');
    const views = tables.flatMap((table, index) => {
      const copy = copies[index];
      return copy ? [viewSql(table, copy.state.table)] : [];
    });
    await session.run(...views);
    return copies.map(({ state }) => state.revision);
  }

  private async followAll(
    copies: readonly ColumnarCopy[],
    snapshot: QuerySnapshot,
    session: ColumnarSession,
  ): Promise<boolean> {
    for (const copy of copies) {
      const followed = await follow(copy, snapshot, session, MAX_FOLLOWED).catch(
        async (error: unknown) => {
          if (error instanceof LinesTooLongError) return 'tooMany' as const;
          // The table may lack a part of the changes.
          if (error instanceof CopyFailedError) await this.drop(copy);
          throw error;
        },
      );
      if (typeof followed === 'string') return false;
      if (unfitDecimals(copy.state.table).length > 0) return false;
    }
    return true;
  }

  private async prepareTable({ schema }: SqlTable): Promise<boolean> {
    const { datagridId } = schema;
    const copy = this.copyOf(schema);
    if (copy && (await this.loader.catchUp(copy)) === 'current' && this.fits(copy)) return true;
    const former = this.copies.get(datagridId);
    if (former) await this.drop(former);
    const loaded = await this.load(schema);
    if (!loaded) return false;
    this.copies.set(datagridId, loaded);
    return true;
  }

  /** Returns the copy for a version of the columns, if it has all values. */
  private copyOf({ datagridId, version }: SqlTable['schema']): ColumnarCopy | undefined {
    const copy = this.copies.get(datagridId);
    return copy?.schemaVersion === version && this.fits(copy) ? copy : undefined;
  }

  private async load(schema: SqlTable['schema']): Promise<ColumnarCopy | null> {
    const texts = this.texts.get(schema.datagridId) ?? new Set<number>();
    const kept = {
      columns: sqlColumns(schema, texts),
      minRows: 0,
      open: () => Promise.resolve(this.process),
    };
    const copy = await this.loader.load(this.accountId, schema, kept, this.goesOn);
    if (!copy || ((await this.loader.catchUp(copy)) === 'current' && this.fits(copy))) return copy;
    // Now that it is known which decimals are texts.
    await this.drop(copy);
    const again = this.texts.get(schema.datagridId) ?? texts;
    const columns = sqlColumns(schema, again);
    return this.loader.load(this.accountId, schema, { ...kept, columns }, this.goesOn);
  }

  /** Returns whether a copy has all values. If not, notes which decimals must be texts. */
  private fits({ datagridId, state }: ColumnarCopy): boolean {
    const unfit = unfitDecimals(state.table);
    const texts = this.texts.get(datagridId) ?? new Set<number>();
    for (const id of unfit) texts.add(id);
    this.texts.set(datagridId, texts);
    return unfit.length === 0;
  }

  /** Never throws. */
  private async drop(copy: ColumnarCopy): Promise<void> {
    if (this.copies.get(copy.datagridId) === copy) this.copies.delete(copy.datagridId);
    await copy.drop();
  }
}
