import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';
import { AccountEntity } from './account.entity';

/** Lets other transactions insert rows that reference the account meanwhile. */
const HOLD: Statement = {
  name: 'account-hold',
  text: 'SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE',
};

@Injectable()
export class AccountRepository {
  constructor(private readonly database: Database) {}

  async insert(account: AccountEntity): Promise<void> {
    await this.database.repository(AccountEntity).insert(account);
  }

  async find(id: string): Promise<AccountEntity | null> {
    return this.database.repository(AccountEntity).findOneBy({ id });
  }

  /** Locks the account until the end of the transaction. Use inside a transaction. */
  async hold(id: string): Promise<void> {
    await this.database.run(HOLD, [id]);
  }

  async isEmpty(): Promise<boolean> {
    return !(await this.database.repository(AccountEntity).exists());
  }

  async setSuspended(id: string, suspended: boolean): Promise<void> {
    await this.database.repository(AccountEntity).update({ id }, { suspended });
  }

  async setExemptUser(id: string, exemptUserId: string | null): Promise<void> {
    await this.database.repository(AccountEntity).update({ id }, { exemptUserId });
  }

  /** @returns whether that is a change. */
  async setRequiresSecondFactor(id: string, requiresSecondFactor: boolean): Promise<boolean> {
    const { affected } = await this.database
      .repository(AccountEntity)
      .update({ id, requiresSecondFactor: !requiresSecondFactor }, { requiresSecondFactor });
    return affected === 1;
  }
}
