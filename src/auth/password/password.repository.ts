import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { UserPasswordEntity } from './user-password.entity';

const FIND_NAMESAKE: Statement = {
  name: 'password-find-namesake',
  text: `
    SELECT p.hash
    FROM users u
    JOIN users o ON o.email_key = u.email_key AND o.id <> u.id
    JOIN user_passwords p ON p.user_id = o.id
    WHERE u.id = $1 ORDER BY o.id LIMIT 1`,
};

/** The stored password hash of a user. */
export type CheckedPassword = Pick<UserPasswordEntity, 'userId' | 'hash'>;

@Injectable()
export class PasswordRepository {
  constructor(private readonly database: Database) {}

  async has(userId: string): Promise<boolean> {
    return this.database.repository(UserPasswordEntity).existsBy({ userId });
  }

  /** Lists the password hashes of these users. Users without a password are omitted. */
  async listHashes(userIds: readonly string[]): Promise<CheckedPassword[]> {
    return this.database.repository(UserPasswordEntity).find({
      select: { userId: true, hash: true },
      where: { userId: In([...userIds]) },
      order: { userId: 'ASC' },
    });
  }

  /**
   * Returns the password hash of another user with the same email address; `null` if there is none.
   */
  async findHashOfNamesake(userId: string): Promise<string | null> {
    const [found] = await this.database.run<{ hash: string }>(FIND_NAMESAKE, [userId]);
    return found?.hash ?? null;
  }

  /**
   * Returns a user's password hash and locks it until the end of the transaction; `null` if the
   * user has none. Other transactions that change it or call this wait.
   */
  async lockHash(userId: string): Promise<string | null> {
    const found = await this.database
      .repository(UserPasswordEntity)
      .findOne({ where: { userId }, lock: { mode: 'pessimistic_write' } });
    return found?.hash ?? null;
  }

  /** Returns the ids of the account's users who have a password. */
  async listHolders(accountId: string): Promise<ReadonlySet<string>> {
    const found = await this.database.repository(UserPasswordEntity).find({
      select: { userId: true },
      where: { user: { accountId } },
    });
    return new Set(found.map(({ userId }) => userId));
  }

  async put(userId: string, hash: string): Promise<void> {
    await this.database
      .repository(UserPasswordEntity)
      .upsert({ userId, hash, changedAt: new Date() }, ['userId']);
  }
}
