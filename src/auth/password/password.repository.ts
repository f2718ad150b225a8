import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
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

/** A user's password as it is stored. */
export type CheckedPassword = Pick<UserPasswordEntity, 'userId' | 'hash'>;

@Injectable()
export class PasswordRepository {
  constructor(private readonly database: Database) {}

  async has(userId: string): Promise<boolean> {
    return this.database.repository(UserPasswordEntity).existsBy({ userId });
  }

  /** What is stored of the passwords of these users, as far as they have one. */
  async listHashes(userIds: readonly string[]): Promise<CheckedPassword[]> {
    return this.database.repository(UserPasswordEntity).find({
      select: { userId: true, hash: true },
      where: { userId: In([...userIds]) },
      order: { userId: 'ASC' },
    });
  }

  /** A hash of another user with the same e-mail address; `null` where there is none. */
  async findHashOfNamesake(userId: string): Promise<string | null> {
    const [found] = await this.database.run<{ hash: string }>(FIND_NAMESAKE, [userId]);
    return found?.hash ?? null;
  }

  /** As `findHash`; until the end of the transaction nobody else changes it, nor reads it so. */
  async lockHash(userId: string): Promise<string | null> {
    const found = await this.database
      .repository(UserPasswordEntity)
      .findOne({ where: { userId }, lock: { mode: 'pessimistic_write' } });
    return found?.hash ?? null;
  }

  /** The users of an account who have a password. */
  async findHolders(accountId: string): Promise<ReadonlySet<string>> {
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
