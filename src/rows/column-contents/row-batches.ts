import { Injectable } from '@nestjs/common';
import type { StoredColumn } from '../../datagrids/column/column-contents';
import { AppConfig } from '../../platform/config/app-config';
import { Database } from '../../platform/database/database';
import {
  AccountSemaphore,
  accountShare,
  type Release,
} from '../../platform/fairness/account-semaphore';
import { AccountActivity } from '../../platform/fairness/account-activity';
import type { Batch, BatchCount } from './unique-claim.repository';
import { StoredValueRepository } from './stored-value.repository';

/**
 * Size of the first batch: some hundred typical rows. Bytes are counted as stored, where values
 * can be compressed to 1/90 of their size.
 */
export const FIRST_BATCH_BYTES = 64 * 1024;
/** Size of each further batch: some thousand typical rows, or a few of the largest. */
export const BATCH_BYTES = 1024 * 1024;

/** Maximum concurrent scans per instance. Those of two instances load 8 PostgreSQL processors. */
const MAX_SCANS = 4;
const MAX_WAITING = 4;
const SCANS = {
  total: MAX_SCANS,
  perAccount: accountShare(MAX_SCANS),
  maxWaiting: MAX_WAITING,
  maxWaitingPerAccount: accountShare(MAX_WAITING),
};

/**
 * Iterates over all rows of a datagrid in batches. A small datagrid needs only the first batch.
 * Further batches require a permit of a semaphore, of which each account has a share.
 */
@Injectable()
export class RowBatches {
  private readonly permits: AccountSemaphore;
  private readonly timeoutMs: number;

  constructor(
    config: AppConfig,
    private readonly database: Database,
    private readonly values: StoredValueRepository,
    activity: AccountActivity,
  ) {
    this.permits = new AccountSemaphore(
      SCANS,
      {
        full: 'Too many large datagrids are being checked. Retry later.',
        accountFull: 'Too many large datagrids of this account are being checked. Retry later.',
      },
      { activity },
    );
    this.timeoutMs = config.databaseAcquireTimeoutMs;
  }

  /**
   * Calls `next` for each batch.
   * @param next Processes a batch and returns the id of its last row. `null` ends the iteration,
   *   for example if no rows follow.
   * @throws AppError `rate_limited` or `unavailable` if there is no permit.
   */
  async forEach(
    column: StoredColumn,
    next: (batch: Batch) => Promise<number | null>,
  ): Promise<void> {
    const first = await next({ afterId: 0, maxBytes: FIRST_BATCH_BYTES });
    if (first === null || !(await this.values.hasRowsAfter(column, first))) return;
    const release = await this.acquire(column.accountId);
    try {
      let afterId: number | null = first;
      while (afterId !== null) afterId = await next({ afterId, maxBytes: BATCH_BYTES });
    } finally {
      release();
    }
  }

  /** Returns the sum of the counts of all batches. @throws as `forEach` */
  async sum(column: StoredColumn, next: (batch: Batch) => Promise<BatchCount>): Promise<number> {
    let total = 0;
    await this.forEach(column, async (batch) => {
      const { lastId, count } = await next(batch);
      total += count;
      return lastId;
    });
    return total;
  }

  /** Acquires a permit. It does not wait in a transaction, which holds a lock and a connection. */
  private async acquire(accountId: string): Promise<Release> {
    if (!this.database.isInTransaction) return this.permits.acquire(accountId, this.timeoutMs);
    return this.permits.acquireNow(accountId);
  }
}
