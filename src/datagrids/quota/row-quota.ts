import { Injectable } from '@nestjs/common';
import { QuotaService, type Quota } from '../../auth/quota/quota.service';
import { AppConfig } from '../../platform/config/app-config';
import { QuotaCountRepository } from './quota-count.repository';

/** How many rows may be added. */
export interface RowRoom {
  /** Negative where there are too many already. */
  readonly left: number;
  /** What the account may have. */
  readonly most: number;
}

export const ENDLESS_ROOM: RowRoom = { left: Infinity, most: Infinity };

/** Rows of all of an account's datagrids together. */
@Injectable()
export class RowQuota implements Quota {
  readonly kind = 'rows';
  readonly most: number | undefined;

  constructor(
    { quotaRows }: AppConfig,
    private readonly quotas: QuotaService,
    private readonly counts: QuotaCountRepository,
  ) {
    this.most = quotaRows;
  }

  get isSet(): boolean {
    return this.most !== undefined;
  }

  async count(accountId: string): Promise<number> {
    return this.counts.countRows(accountId);
  }

  /** Does what may add rows. @throws AppError `quota_exceeded`, and then it is undone. */
  run<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    return this.isSet ? this.quotas.run(accountId, [this], work) : work();
  }

  /** Inside a transaction, before it takes a datagrid's lock: nobody else adds until its end. */
  async hold(accountId: string): Promise<void> {
    if (this.isSet) await this.quotas.hold(accountId);
  }

  /** The same, and how many rows may be added then. */
  async room(accountId: string): Promise<RowRoom> {
    if (this.most === undefined) return ENDLESS_ROOM;
    await this.quotas.hold(accountId);
    return { left: this.most - (await this.count(accountId)), most: this.most };
  }
}
