import { Injectable } from '@nestjs/common';
import { counterLock } from '../../datagrids/counter-lock-sql';
import { Database } from '../../platform/database/database';
import { isLockTimeout } from '../../platform/database/database-error';
import type { Statement } from '../../platform/database/text-query';

/** Maximum wait of a background step for a datagrid's lock. Other accounts wait meanwhile. */
const LOCK_TIMEOUT_MS = 1_000;

const SET_TIMEOUT: Statement = {
  name: 'background-lock-timeout',
  text: `SELECT set_config('lock_timeout', '${String(LOCK_TIMEOUT_MS)}', true)`,
};

const LOCK: Statement = {
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
        await this.database.run(LOCK, [datagridId]);
        return step();
      });
    } catch (error) {
      if (isLockTimeout(error)) return 'locked';
      throw error;
    }
  }
}
