import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { UserEntity } from './user.entity';

/** Users of one address that a sign-in looks at: far more accounts than one person has. */
const MAX_USERS_PER_EMAIL = 1_000;

/** Lets others refer to the user meanwhile. */
const LOCK: Statement = {
  name: 'user-lock',
  text: 'SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE',
};

const LOCK_EMAIL: Statement = {
  name: 'user-lock-email',
  text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 4209731))',
};

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

  /** The users of an address with their accounts, the first that was made first. */
  async listByEmailKey(emailKey: string): Promise<UserEntity[]> {
    return this.database.repository(UserEntity).find({
      where: { emailKey },
      relations: { account: true },
      order: { id: 'ASC' },
      take: MAX_USERS_PER_EMAIL,
    });
  }

  async count(accountId: string): Promise<number> {
    return this.database.repository(UserEntity).countBy({ accountId });
  }

  /** Inside a transaction: nobody else holds the user until its end. */
  async lock(id: string): Promise<void> {
    await this.database.run(LOCK, [id]);
  }

  /** Inside a transaction: nobody else holds the address until its end. */
  async lockEmail(emailKey: string): Promise<void> {
    await this.database.run(LOCK_EMAIL, [emailKey]);
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
