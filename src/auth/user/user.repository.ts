import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { UserEntity } from './user.entity';

/**
 * Maximum number of users that a sign-in considers for one email address. Far more than the
 * accounts of one person.
 */
const MAX_USERS_PER_EMAIL = 1_000;

/** Lets other transactions insert rows that reference the user meanwhile. */
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

  /** @returns `null` if the account has no such user. */
  async findIn(accountId: string, id: string): Promise<UserRecord | null> {
    return this.database.repository(UserEntity).findOneBy({ accountId, id });
  }

  /** Lists all users of an account, oldest first. */
  async listOf(accountId: string): Promise<UserRecord[]> {
    return this.database
      .repository(UserEntity)
      .find({ where: { accountId }, order: { id: 'ASC' } });
  }

  /** Lists the users with an email address and their accounts, oldest first. */
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

  /** Locks the user until the end of the transaction. Use inside a transaction. */
  async lock(id: string): Promise<void> {
    await this.database.run(LOCK, [id]);
  }

  /** Locks the email address until the end of the transaction. Use inside a transaction. */
  async lockEmail(emailKey: string): Promise<void> {
    await this.database.run(LOCK_EMAIL, [emailKey]);
  }

  /**
   * Locks the active owners (not suspended) until the end of the transaction. A transaction that
   * waits here sees that other users are no longer owners, but may miss a user who has just become
   * one.
   */
  async lockActiveOwners(accountId: string): Promise<UserRecord[]> {
    return this.database.repository(UserEntity).find({
      where: { accountId, role: 'owner', suspended: false },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
  }

  async update(
    id: string,
    change: Partial<
      Pick<UserRecord, 'role' | 'suspended' | 'suspendedByDirectory' | 'email' | 'emailKey'>
    >,
  ): Promise<void> {
    await this.database.repository(UserEntity).update({ id }, change);
  }
}
