import { Injectable } from '@nestjs/common';
import { QuotaService } from '../auth/quota/quota.service';
import { UserService } from '../auth/user/user.service';
import { ChangeListener } from '../platform/database/change-listener';
import { Database } from '../platform/database/database';
import { DatabaseGate } from '../platform/database/database-gate';

/** Whether processes must forget what they knew of users. */
interface Outcome {
  readonly isAccessChanged: boolean;
}

/** Runs changes of users and groups, one at a time for each account. */
@Injectable()
export class ScimChanges {
  constructor(
    private readonly database: Database,
    private readonly gate: DatabaseGate,
    private readonly quotas: QuotaService,
    private readonly users: UserService,
  ) {}

  /**
   * Runs a change in a transaction under the lock of the account, so that no two requests change the same users and
   * groups, and then that of its owners, which all changes of users take. If access has changed, waits until no process
   * uses what it knew before. Holds a permit of the database gate only for the transaction.
   */
  async run<T extends Outcome>(accountId: string, work: () => Promise<T>): Promise<T> {
    const result = await this.gate.run(accountId, () =>
      this.database.transaction(async () => {
        await this.quotas.lock(accountId);
        await this.users.holdOwners(accountId);
        return work();
      }),
    );
    if (result.isAccessChanged) await ChangeListener.waitUntilPropagated();
    return result;
  }

  /** Reads with a permit of the database gate. */
  read<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    return this.gate.run(accountId, work);
  }
}
