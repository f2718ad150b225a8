import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThan, MoreThan, type Repository } from 'typeorm';
import { Database } from '../../platform/database/database';
import { type ChallengePurpose, PasskeyChallengeEntity, UserPasskeyEntity } from './passkey.entity';

export type PasskeyRecord = Omit<UserPasskeyEntity, 'user'>;

/** Expired challenges that are deleted with each new one, so that they do not pile up. */
const CLEANED = 10;

/** Passkeys of users, and challenges for them. */
@Injectable()
export class PasskeyRepository {
  constructor(private readonly database: Database) {}

  /** Lists the passkeys of a user, oldest first. */
  async listOf(userId: string): Promise<PasskeyRecord[]> {
    return this.passkeys.find({ where: { userId }, order: { id: 'ASC' } });
  }

  async hasAny(userId: string): Promise<boolean> {
    return this.passkeys.existsBy({ userId });
  }

  async has(id: string): Promise<boolean> {
    return this.passkeys.existsBy({ id });
  }

  /** Returns the ids of the account's users who have a passkey. */
  async listHolders(accountId: string): Promise<string[]> {
    const found = await this.passkeys.find({
      select: { userId: true },
      where: { user: { accountId } },
    });
    return found.map(({ userId }) => userId);
  }

  async findByCredential(credentialId: string): Promise<PasskeyRecord | null> {
    return this.passkeys.findOneBy({ credentialId });
  }

  /** @returns `false` if the credential is known already. */
  async insert(passkey: PasskeyRecord): Promise<boolean> {
    const inserted = await this.passkeys
      .createQueryBuilder()
      .insert()
      .values(passkey)
      .orIgnore()
      .returning('id')
      .execute();
    return (inserted.raw as unknown[]).length === 1;
  }

  /** Notes a use. @param counter Uses that the authenticator has counted. */
  async noteUse(id: string, counter: number): Promise<void> {
    await this.passkeys.update({ id }, { counter, lastUsedAt: new Date() });
  }

  /** @returns `false` if the user has no such passkey. */
  async delete(userId: string, id: string): Promise<boolean> {
    const { affected } = await this.passkeys.delete({ id, userId });
    return affected === 1;
  }

  /** @returns whether there were any. */
  async deleteAll(userId: string): Promise<boolean> {
    const { affected } = await this.passkeys.delete({ userId });
    return (affected ?? 0) > 0;
  }

  /** Stores a challenge, and deletes some that have expired. */
  async putChallenge(challenge: PasskeyChallengeEntity): Promise<void> {
    const expired = await this.challenges.find({
      select: { challenge: true },
      where: { expiresAt: LessThan(new Date()) },
      order: { expiresAt: 'ASC' },
      take: CLEANED,
    });
    if (expired.length > 0) {
      await this.challenges.delete({ challenge: In(expired.map((each) => each.challenge)) });
    }
    await this.challenges.insert(challenge);
  }

  /** Deletes a challenge. @returns `false` if there is none that has not expired. */
  async takeChallenge(
    challenge: string,
    purpose: ChallengePurpose,
    userId: string | null,
  ): Promise<boolean> {
    const { affected } = await this.challenges.delete({
      ...{ challenge, purpose, userId: userId ?? IsNull() },
      expiresAt: MoreThan(new Date()),
    });
    return affected === 1;
  }

  private get passkeys(): Repository<UserPasskeyEntity> {
    return this.database.repository(UserPasskeyEntity);
  }

  private get challenges(): Repository<PasskeyChallengeEntity> {
    return this.database.repository(PasskeyChallengeEntity);
  }
}
