import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import { UserEntity } from './user.entity';

export type UserRecord = Omit<UserEntity, 'account'>;

@Injectable()
export class UserRepository {
  constructor(private readonly database: Database) {}

  async insert(user: UserRecord): Promise<void> {
    await this.database.repository(UserEntity).insert(user);
  }

  async findWithAccount(id: string): Promise<UserEntity | null> {
    return this.database
      .repository(UserEntity)
      .findOne({ where: { id }, relations: { account: true } });
  }

  /** `null` where the account has no such user. */
  async findIn(accountId: string, id: string): Promise<UserRecord | null> {
    return this.database.repository(UserEntity).findOneBy({ accountId, id });
  }

  /** All users of an account, the first that was made first. */
  async listOf(accountId: string): Promise<UserRecord[]> {
    return this.database
      .repository(UserEntity)
      .find({ where: { accountId }, order: { id: 'ASC' } });
  }

  async findByEmailKey(emailKey: string): Promise<UserRecord | null> {
    return this.database.repository(UserEntity).findOneBy({ emailKey });
  }

  /**
   * Users who are owners and not suspended, kept so until the end of the transaction. Who waits
   * here sees that others have ceased to be, but may miss one who has just become one.
   */
  async lockActiveOwners(accountId: string): Promise<UserRecord[]> {
    return this.database.repository(UserEntity).find({
      where: { accountId, role: 'owner', suspended: false },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
  }

  async update(id: string, change: Partial<Pick<UserRecord, 'role' | 'suspended'>>): Promise<void> {
    await this.database.repository(UserEntity).update({ id }, change);
  }
}
