import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { timeText } from '../storage/row-json-sql';
import { WRITE_TIME } from './write-time-sql';

/**
 * Takes the datagrid's lock and changes nothing yet: a write that turns out to change nothing
 * leaves the revision as it is. A statement of its own: what follows must see all that was
 * committed while this one waited.
 */
const LOCK: Statement = {
  name: 'counter-lock',
  text: `
    WITH locked AS (
      SELECT revision, last_row_id, row_count, last_written_at
      FROM datagrid_counters WHERE datagrid_id = $1 AND schema_version = $2
      FOR NO KEY UPDATE
    )
    SELECT revision, last_row_id AS "lastRowId", row_count AS "rowCount",
      ${timeText(WRITE_TIME)} AS at
    FROM locked`,
};

const HOLD: Statement = {
  name: 'counter-hold',
  text: 'SELECT FROM datagrid_counters WHERE datagrid_id = $1 FOR NO KEY UPDATE',
};

const RAISE: Statement = {
  name: 'counter-raise',
  text: `
    UPDATE datagrid_counters SET revision = revision + 1, last_written_at = $2::timestamptz
    WHERE datagrid_id = $1`,
};

export interface LockedCounter {
  readonly revision: number;
  readonly lastRowId: number;
  readonly rowCount: number;
  /** The time of a write under this lock, as the API gives it. */
  readonly at: string;
}

/** For use inside a transaction. */
@Injectable()
export class CounterRepository {
  constructor(private readonly database: Database) {}

  /**
   * Takes the datagrid's lock until the end of the transaction.
   * @returns `null` where the columns are no longer those of `schema`.
   */
  async lock({ datagridId, version }: DatagridSchema): Promise<LockedCounter | null> {
    const [locked] = await this.database.run<LockedCounter>(LOCK, [datagridId, version]);
    return locked ?? null;
  }

  /**
   * Takes the datagrid's lock until the end of the transaction, whatever its columns are: from
   * here on they stay as they are.
   */
  async hold(datagridId: string): Promise<void> {
    await this.database.run(HOLD, [datagridId]);
  }

  /**
   * Raises the revision by one; once in a call, before its first change.
   * @param counter As `lock` gave it: rows are dated with its time from here on.
   */
  async raise({ datagridId }: DatagridSchema, counter: Pick<LockedCounter, 'at'>): Promise<void> {
    await this.database.run(RAISE, [datagridId, counter.at]);
  }
}
