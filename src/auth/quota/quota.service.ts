import { Injectable } from '@nestjs/common';
import { AppError } from '../../common/error/app-error';
import { AppConfig } from '../../platform/config/app-config';
import { Database } from '../../platform/database/database';
import { AccountRepository } from '../account.repository';

/** Maximum number of objects of one kind in an account. */
export interface Quota {
  readonly kind: QuotaKind;
  /** Undefined for no limit. */
  readonly max: number | undefined;
  /** Counts the account's objects as this transaction sees them, without those in the trash. */
  count(accountId: string): Promise<number>;
}

/**
 * Enforces quotas exactly, with a lock on the account. All operations that may exceed a quota take
 * this lock before any other. If no quota is set, nothing is locked or counted.
 */
@Injectable()
export class QuotaService {
  private readonly isAnySet: boolean;

  constructor(
    { quotaWorkspaces, quotaDatagrids, quotaRows }: AppConfig,
    private readonly database: Database,
    private readonly accounts: AccountRepository,
  ) {
    this.isAnySet = [quotaWorkspaces, quotaDatagrids, quotaRows].some((max) => max !== undefined);
  }

  /**
   * Locks the account until the end of the transaction, so that no other transaction adds to it.
   * Use inside a transaction.
   */
  async hold(accountId: string): Promise<void> {
    if (this.isAnySet) await this.lock(accountId);
  }

  /** Like `hold`, for limits that always apply. */
  async lock(accountId: string): Promise<void> {
    await this.accounts.hold(accountId);
  }

  /**
   * Runs work that may exceed one of the quotas, and undoes it if it does. If the account already
   * exceeds a quota, which may have been lowered, work that adds nothing is allowed.
   * @throws AppError `quota_exceeded`
   */
  run<T>(accountId: string, quotas: readonly Quota[], work: () => Promise<T>): Promise<T> {
    const set = quotas.filter(({ max }) => max !== undefined);
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
      for (const [index, { kind, max = Infinity }] of quotas.entries()) {
        const [had = 0, has = 0] = [before[index], after[index]];
        if (has > max && has > had) throw quotaExceeded(kind, max);
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

/** Objects that a quota limits per account. */
type QuotaKind =
  | 'workspaces'
  | 'datagrids'
  | 'rows'
  | 'users'
  | 'webhooks'
  | 'pairs of a webhook and a datagrid'
  | 'connections'
  | 'tables of connections'
  | 'workspaces in which groups give roles'
  | 'scheduled imports'
  | 'groups';

/**
 * Error for a quota: 403. A retry does not help until objects are deleted or the quota is raised.
 */
export function quotaExceeded(kind: QuotaKind, max: number): AppError {
  return new AppError(
    'quota_exceeded',
    `Quota exceeded: this account may have at most ${String(max)} ${kind}.`,
  );
}

export function isQuotaExceeded(error: unknown): boolean {
  return error instanceof AppError && error.code === 'quota_exceeded';
}
