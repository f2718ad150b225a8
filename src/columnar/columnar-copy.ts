import { ExclusiveWork } from '../common/async/exclusive-work';
import { dropTable, storeChanges } from './copy-table.repository';
import type { ColumnarProcess } from './columnar-database';
import type { CopyTable } from './copy-table';

/**
 * State of a copy. It contains all changes up to `revision`, and possibly later changes of some rows, which
 * are written again.
 */
export interface CopyState {
  readonly table: CopyTable;
  readonly revision: number;
  /**
   * Time of the write of the revision, in milliseconds since 1970, by which a database that was restored is
   * recognized; `null` if the change log has none.
   */
  readonly writtenAtMs: number | null;
}

/** A complete copy of a datagrid. */
export class ColumnarCopy {
  private readonly work = new ExclusiveWork();
  private isDiscarded = false;
  /** Time of the last use by a query, of `performance.now`. */
  usedAtMs = performance.now();

  constructor(
    readonly accountId: string,
    readonly datagridId: string,
    /** Version of the columns. A copy is of no use for another one. */
    readonly schemaVersion: number,
    readonly process: ColumnarProcess,
    /** Size in the file when it was loaded. */
    readonly bytes: number,
    /** Only exclusive work changes it. Other readers must accept a state that is out of date. */
    public state: CopyState,
  ) {}

  /** Whether it can be read: it was not discarded, and the process that has it runs. */
  get isUsable(): boolean {
    return !this.isDiscarded && !this.process.signal.aborted;
  }

  /** Drops the table. Queries that have begun to read it are not affected. Never throws. */
  async drop(): Promise<void> {
    this.isDiscarded = true;
    const session = this.process.connect();
    try {
      await this.exclusively(() => dropTable(session, this.state.table.name));
      await storeChanges(session);
    } catch {
      // The process has ended, and its tables with it.
    } finally {
      session.close();
    }
  }

  /**
   * Runs work that changes the copy or begins to read it. Exclusive work runs one at a time, in order.
   */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** @returns `null` if the work cannot start within `maxWaitMs`. It then never runs. */
  exclusively<T>(work: () => Promise<T>, maxWaitMs: number): Promise<T | null>;
  exclusively<T>(work: () => Promise<T>, maxWaitMs?: number): Promise<T | null> {
    return this.work.run(work, maxWaitMs);
  }
}
