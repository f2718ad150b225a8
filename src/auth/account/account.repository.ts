import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import { AccountEntity } from './account.entity';

@Injectable()
export class AccountRepository {
  constructor(private readonly database: Database) {}

  async insert(account: AccountEntity): Promise<void> {
    await this.database.repository(AccountEntity).insert(account);
  }

  async find(id: string): Promise<AccountEntity | null> {
    return this.database.repository(AccountEntity).findOneBy({ id });
  }

  async isEmpty(): Promise<boolean> {
    return !(await this.database.repository(AccountEntity).exists());
  }

  async setSuspended(id: string, suspended: boolean): Promise<void> {
    await this.database.repository(AccountEntity).update({ id }, { suspended });
  }
}
