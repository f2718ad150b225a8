import { Injectable } from '@nestjs/common';
import type { StoredColumn } from '../../datagrids/column/column-contents';
import { AppConfig } from '../../platform/config/app-config';
import { Database } from '../../platform/database/database';
import type { AccountSemaphore, Release } from '../../platform/fairness/account-semaphore';
import { semaphoreOf } from '../../platform/fairness/limit';
import { LIMITS } from '../../platform/fairness/limits';
import type { Batch, BatchCount } from './unique-claim.repository';
import { StoredValueRepository } from './stored-value.repository';

/**
 * Size of the first batch: some hundred typical rows. Bytes are counted as stored, where values
 * can be compressed to 1/90 of their size.
 */
export const FIRST_BATCH_BYTES = 64 * 1024;
/** Size of each further batch: some thousand typical rows, or a few of the largest. */
export const BATCH_BYTES = 1024 * 1024;

/**
 * Iterates over all rows of a datagrid in batches. A small datagrid needs only the first batch.
 * Further batches require a permit of a semaphore, of which each account has a share.
 */
@Injectable()
export class RowBatches {
  private readonly permits: AccountSemaphore;

  constructor(
    config: AppConfig,
    private readonly database: Database,
    private readonly values: StoredValueRepository,
  ) {
    this.permits = semaphoreOf(LIMITS.columnScans, config);
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
    if (!this.database.isInTransaction) return this.permits.acquire(accountId);
    return this.permits.acquireNow(accountId);
  }
}
