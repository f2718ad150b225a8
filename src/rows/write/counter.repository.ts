import { Injectable } from '@nestjs/common';
import type { Author } from '../../datagrids/change-log/change-log-sql';
import { ChangeSignal } from '../../datagrids/change-log/change-signal';
import { counterLock } from '../../datagrids/counter-lock-sql';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import { isLockTimeout } from '../../platform/database/database-error';
import type { Statement } from '../../platform/database/text-query';
import { timeText } from '../storage/row-json-sql';

/**
 * Sets the earliest time of later writes, as part of an UPDATE of `datagrid_counters`. The
 * statement may have started before it got the lock. Uses a stable function, because Citus accepts
 * no volatile function here.
 */
export const RAISE_WRITE_TIME = `
  last_written_at = greatest(last_written_at, statement_timestamp())`;

/**
 * The time of a write, for a SELECT from a common table expression that has taken the lock and
 * returns `last_written_at`. The clock is read under the lock. No write has an earlier time than a
 * previous write, even if the clock is set back or another server takes over.
 */
export const WRITE_TIME = 'greatest(last_written_at, clock_timestamp())::timestamptz(3)';

/**
 * Locks the datagrid's counter row and changes nothing, so that a write that changes no row leaves
 * the revision as it is. Runs as its own statement so that later statements see rows committed
 * while it waited.
 */
const LOCK: Statement = {
  name: 'counter-lock',
  ...counterLock(
    `SELECT revision, last_row_id AS "lastRowId", row_count AS "rowCount",
      ${timeText(WRITE_TIME)} AS at
    FROM locked`,
    `locked AS (
      SELECT revision, last_row_id, row_count, last_written_at
      FROM datagrid_counters WHERE datagrid_id = $1 AND schema_version = $2
      FOR NO KEY UPDATE
    )`,
  ),
};

const HOLD: Statement = {
  name: 'counter-hold',
  ...counterLock('SELECT FROM datagrid_counters WHERE datagrid_id = $1 FOR NO KEY UPDATE'),
};

const RAISE: Statement = {
  name: 'counter-raise',
  text: `
    UPDATE datagrid_counters SET revision = revision + 1, last_written_at = $2::timestamptz
    WHERE datagrid_id = $1`,
};

/** A write of rows under the datagrid's lock. */
export interface RowWrite {
  /** The revision of the datagrid after the write. */
  readonly revision: number;
  /** The time of the write, as the API returns it. */
  readonly at: string;
  readonly author: Author;
}

export interface LockedCounter {
  readonly revision: number;
  readonly lastRowId: number;
  readonly rowCount: number;
  /** The time of a write under this lock, as the API returns it. */
  readonly at: string;
}

/** Locks and raises the counters of datagrids. Call inside a transaction. */
@Injectable()
export class CounterRepository {
  constructor(
    private readonly database: Database,
    private readonly signal: ChangeSignal,
  ) {}

  /**
   * Takes the datagrid's lock until the end of the transaction.
   * @returns `null` if the columns are no longer those of `schema`.
   */
  async lock({ datagridId, version }: DatagridSchema): Promise<LockedCounter | null> {
    const [locked] = await this.database.run<LockedCounter>(LOCK, [datagridId, version]);
    return locked ?? null;
  }

  /**
   * Takes the datagrid's lock until the end of the transaction, regardless of its columns. From
   * then on the columns do not change.
   */
  async hold(datagridId: string): Promise<void> {
    await this.database.run(HOLD, [datagridId]);
  }

  /**
   * Raises the revision by one. Call it once per write, before the first change. Each change that
   * follows logs itself.
   * @param counter The result of `lock`. Rows that are written later in the transaction have its
   *   time.
   */
  async raise({ datagridId }: DatagridSchema, counter: Pick<LockedCounter, 'at'>): Promise<void> {
    await this.database.run(RAISE, [datagridId, counter.at]);
    this.signal.send(datagridId);
  }
}

/** Maximum wait of a background step for a datagrid's lock. Other accounts wait meanwhile. */
const LOCK_TIMEOUT_MS = 1_000;

const SET_TIMEOUT: Statement = {
  name: 'background-lock-timeout',
  text: `SELECT set_config('lock_timeout', '${String(LOCK_TIMEOUT_MS)}', true)`,
};

const LOCK_FOR_STEP: Statement = {
  name: 'background-lock',
  ...counterLock('SELECT 1 AS one FROM datagrid_counters WHERE datagrid_id = $1 FOR UPDATE'),
};

/** Locks datagrids for background steps. */
@Injectable()
export class DatagridLockRepository {
  constructor(private readonly database: Database) {}

  /**
   * Runs a step in a transaction that holds the lock of the datagrid's counter row.
   * @returns `locked`, with nothing done, if writes hold the lock for longer than a second.
   */
  async under<T>(datagridId: string, step: () => Promise<T>): Promise<T | 'locked'> {
    try {
      return await this.database.transaction(async () => {
        await this.database.run(SET_TIMEOUT);
        await this.database.run(LOCK_FOR_STEP, [datagridId]);
        return step();
      });
    } catch (error) {
      if (isLockTimeout(error)) return 'locked';
      throw error;
    }
  }
}
