import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import { UserPasswordEntity } from './user-password.entity';

@Injectable()
export class PasswordRepository {
  constructor(private readonly database: Database) {}

  /** What is stored of a user's password; `null` where the user has none. */
  async findHash(userId: string): Promise<string | null> {
    const found = await this.database.repository(UserPasswordEntity).findOneBy({ userId });
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
