import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../platform/config/app-config';
import { Database } from '../../platform/database/database';
import { AccountRepository } from '../account/account.repository';
import { quotaExceeded, type QuotaKind } from './quota-exceeded';

/** How many of something an account may have. */
export interface Quota {
  readonly kind: QuotaKind;
  /** Undefined: as many as it likes. */
  readonly most: number | undefined;
  /** How many it has, as this transaction sees them; what is in the trash does not count. */
  count(accountId: string): Promise<number>;
}

/**
 * Keeps quotas exactly, by a lock on the account that all takes which may bring it beyond one. It
 * is taken before any other lock. Where no quota is set nothing of this happens.
 */
@Injectable()
export class QuotaService {
  private readonly isAnySet: boolean;

  constructor(
    { quotaWorkspaces, quotaDatagrids, quotaRows }: AppConfig,
    private readonly database: Database,
    private readonly accounts: AccountRepository,
  ) {
    this.isAnySet = [quotaWorkspaces, quotaDatagrids, quotaRows].some((most) => most !== undefined);
  }

  /** Inside a transaction: nobody else adds to the account until its end. */
  async hold(accountId: string): Promise<void> {
    if (this.isAnySet) await this.accounts.hold(accountId);
  }

  /**
   * Does what may bring the account beyond one of the quotas, and undoes it where it has. What
   * does not add to an account that has too much already (a quota may have been lowered) may be.
   * @throws AppError `quota_exceeded`
   */
  run<T>(accountId: string, quotas: readonly Quota[], work: () => Promise<T>): Promise<T> {
    const set = quotas.filter(({ most }) => most !== undefined);
    return set.length === 0 ? work() : this.keeping(accountId, set, work);
  }

  private keeping<T>(
    accountId: string,
    quotas: readonly Quota[],
    work: () => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async () => {
      await this.hold(accountId);
      const before = await countAll(accountId, quotas);
      const result = await work();
      const after = await countAll(accountId, quotas);
      for (const [index, { kind, most = Infinity }] of quotas.entries()) {
        const [had = 0, has = 0] = [before[index], after[index]];
        if (has > most && has > had) throw quotaExceeded(kind, most);
      }
      return result;
    });
  }
}

async function countAll(accountId: string, quotas: readonly Quota[]): Promise<number[]> {
  const counts: number[] = [];
  for (const quota of quotas) counts.push(await quota.count(accountId));
  return counts;
}
