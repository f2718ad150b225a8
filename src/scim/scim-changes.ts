import { Injectable } from '@nestjs/common';
import { QuotaService } from '../auth/quota/quota.service';
import { ChangeListener } from '../platform/database/change-listener';
import { Database } from '../platform/database/database';
import { inTermsOfScim } from './scim-error';

/** Whether processes must forget what they knew of users. */
interface Outcome {
  readonly isAccessChanged: boolean;
}

/** Runs changes of users and groups, one at a time for each account. */
@Injectable()
export class ScimChanges {
  constructor(
    private readonly database: Database,
    private readonly quotas: QuotaService,
  ) {}

  /**
   * Runs a change in a transaction under the lock of the account, so that no two requests change the same users and
   * groups. If access has changed, waits until no process uses what it knew before.
   * @throws AppError with the `scimType` of the failure
   */
  async run<T extends Outcome>(accountId: string, work: () => Promise<T>): Promise<T> {
    try {
      const result = await this.database.transaction(async () => {
        await this.quotas.lock(accountId);
        return work();
      });
      if (result.isAccessChanged) await ChangeListener.waitUntilPropagated();
      return result;
    } catch (error) {
      throw inTermsOfScim(error);
    }
  }
}
