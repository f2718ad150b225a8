import { Injectable } from '@nestjs/common';
import { QuotaService, type Quota } from '../../auth/quota/quota.service';
import { AppConfig } from '../../platform/config/app-config';
import { QuotaCountRepository } from './quota-count.repository';

/** Number of rows that may be added. */
export interface RowRoom {
  /** Negative if the account already has too many rows. */
  readonly left: number;
  /** Maximum number of rows of the account. */
  readonly max: number;
}

export const ENDLESS_ROOM: RowRoom = { left: Infinity, max: Infinity };

/** Quota of the rows in all of an account's datagrids. */
@Injectable()
export class RowQuota implements Quota {
  readonly kind = 'rows';
  readonly max: number | undefined;

  constructor(
    { quotaRows }: AppConfig,
    private readonly quotas: QuotaService,
    private readonly counts: QuotaCountRepository,
  ) {
    this.max = quotaRows;
  }

  get isSet(): boolean {
    return this.max !== undefined;
  }

  async count(accountId: string): Promise<number> {
    return this.counts.countRows(accountId);
  }

  /** Runs work that may add rows. @throws AppError `quota_exceeded`, after undoing the work. */
  run<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    return this.isSet ? this.quotas.run(accountId, [this], work) : work();
  }

  /**
   * Locks the account until the end of the transaction. Use inside a transaction, before it locks a
   * datagrid.
   */
  async hold(accountId: string): Promise<void> {
    if (this.isSet) await this.quotas.hold(accountId);
  }

  /** Locks the account in the same way, and returns the number of rows that may be added. */
  async room(accountId: string): Promise<RowRoom> {
    if (this.max === undefined) return ENDLESS_ROOM;
    await this.quotas.hold(accountId);
    return { left: this.max - (await this.count(accountId)), max: this.max };
  }
}
