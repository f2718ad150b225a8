import { Injectable } from '@nestjs/common';
import { IsNull, LessThan, MoreThan, Not, type Repository } from 'typeorm';
import { Database } from '../../platform/database/database';
import type { SecretStore, StoredSecret } from '../../platform/secrets/stored-secret.service';
import { UserRecoveryCodeEntity, UserTotpEntity } from './factor.entity';

export type TotpRecord = Omit<UserTotpEntity, 'user'>;

/** Second factors of users. As a `SecretStore`, lists and replaces the secrets of authenticator apps by user id. */
@Injectable()
export class FactorRepository implements SecretStore {
  constructor(private readonly database: Database) {}

  async findTotp(userId: string): Promise<TotpRecord | null> {
    return this.totps.findOneBy({ userId });
  }

  /**
   * Stores the secret of an app that is being set up. Requires the lock of the user.
   * @returns `false` if the user has an app.
   */
  async putPending(userId: string, secret: Buffer): Promise<boolean> {
    const pending = { secret, lastPeriod: 0, wrongCodes: 0, createdAt: new Date() };
    const { affected } = await this.totps.update({ userId, confirmedAt: IsNull() }, pending);
    if (affected === 1) return true;
    const inserted = await this.totps
      .createQueryBuilder()
      .insert()
      .values({ userId, ...pending })
      .orIgnore()
      .returning('user_id')
      .execute();
    return (inserted.raw as unknown[]).length === 1;
  }

  /** Requires the lock of the user. */
  async confirm(userId: string, period: number): Promise<void> {
    await this.totps.update({ userId }, { confirmedAt: new Date(), lastPeriod: period });
  }

  /** @returns `false` if the code of this or a later period was used before. */
  async usePeriod(userId: string, period: number): Promise<boolean> {
    const { affected } = await this.totps.update(
      { userId, lastPeriod: LessThan(period) },
      { lastPeriod: period, wrongCodes: 0 },
    );
    return affected === 1;
  }

  /** Counts a wrong code. @returns the wrong codes since the last correct one. */
  async addWrongCode(userId: string): Promise<number> {
    const updated = await this.totps
      .createQueryBuilder()
      .update()
      .set({ wrongCodes: () => 'wrong_codes + 1' })
      .where({ userId })
      .returning('wrong_codes')
      .execute();
    const [row] = updated.raw as { wrong_codes: number }[];
    return row?.wrong_codes ?? 0;
  }

  async resetWrongCodes(userId: string): Promise<void> {
    await this.totps.update({ userId }, { wrongCodes: 0 });
  }

  /** @returns `false` if the user has no such code. */
  async useRecoveryCode(userId: string, codeHash: Buffer): Promise<boolean> {
    const { affected } = await this.recoveryCodes.delete({ userId, codeHash });
    return affected === 1;
  }

  async countRecoveryCodes(userId: string): Promise<number> {
    return this.recoveryCodes.countBy({ userId });
  }

  /** Replaces the codes of a user. Requires the lock of the user. */
  async replaceRecoveryCodes(userId: string, hashes: readonly Buffer[]): Promise<void> {
    await this.recoveryCodes.delete({ userId });
    await this.recoveryCodes.insert(hashes.map((codeHash) => ({ userId, codeHash })));
  }

  /** Requires the lock of the user. */
  async removeRecoveryCodes(userId: string): Promise<void> {
    await this.recoveryCodes.delete({ userId });
  }

  /** Removes the app of a user. Requires the lock of the user. @returns whether sign-ins asked for its codes. */
  async removeTotp(userId: string): Promise<boolean> {
    const { affected } = await this.totps.delete({ userId, confirmedAt: Not(IsNull()) });
    if (affected === 1) return true;
    await this.totps.delete({ userId });
    return false;
  }

  /** Returns the ids of the account's users with an app. */
  async listHolders(accountId: string): Promise<string[]> {
    const found = await this.totps.find({
      select: { userId: true },
      where: { user: { accountId }, confirmedAt: Not(IsNull()) },
    });
    return found.map(({ userId }) => userId);
  }

  async list(afterId: string, limit: number): Promise<StoredSecret[]> {
    const found = await this.totps.find({
      select: { userId: true, secret: true },
      where: { userId: MoreThan(afterId) },
      order: { userId: 'ASC' },
      take: limit,
    });
    return found.map(({ userId: id, secret }) => ({ id, secret }));
  }

  async find(id: string): Promise<StoredSecret | null> {
    const found = await this.findTotp(id);
    return found && { id, secret: found.secret };
  }

  async replace({ id: userId, secret: before }: StoredSecret, secret: Buffer): Promise<boolean> {
    const { affected } = await this.totps.update({ userId, secret: before }, { secret });
    return affected === 1;
  }

  private get totps(): Repository<UserTotpEntity> {
    return this.database.repository(UserTotpEntity);
  }

  private get recoveryCodes(): Repository<UserRecoveryCodeEntity> {
    return this.database.repository(UserRecoveryCodeEntity);
  }
}
