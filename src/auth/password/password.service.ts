import { Injectable } from '@nestjs/common';
import { semaphoreOf } from '../../platform/fairness/limit';
import { LIMITS } from '../../platform/fairness/limits';
import type { UserRecord } from '../user/user.repository';
import { hashPassword, matchingHashes, RECOMMENDED_COST, type HashCost } from './password-hash';
import { PasswordRepository, type CheckedPassword } from './password.repository';

/** Checks and stores the passwords of console users. */
@Injectable()
export class PasswordService {
  /** Cost of new hashes. Tests lower it. */
  readonly cost: HashCost = { ...RECOMMENDED_COST };
  private readonly hashes = semaphoreOf(LIMITS.passwordChecks, {});

  constructor(private readonly repository: PasswordRepository) {}

  /**
   * Finds the users among `userIds` who have this password. Takes the time of one hash for any
   * number of users that share a salt (see `hash`), and for users without a password.
   * @param holder Key by which concurrent checks are limited: a client address, or an account.
   * @returns the matching hashes, for `isStill`; an empty array if the password is wrong.
   * @throws AppError `unavailable` or `rate_limited` if too many passwords are being checked.
   */
  async check(
    userIds: readonly string[],
    password: string,
    holder: string,
  ): Promise<readonly CheckedPassword[]> {
    const stored = await this.repository.listHashes(userIds);
    const hashes = stored.map(({ hash }) => hash);
    const matching = await this.inTurn(holder, () => matchingHashes(hashes, password, this.cost));
    return stored.filter(({ hash }) => matching.includes(hash));
  }

  /**
   * Returns whether a password that `check` has matched is still the current one: it may change
   * during the check. Inside a transaction, it then cannot change until the transaction ends.
   */
  async isStill(userId: string, checked: string): Promise<boolean> {
    return (await this.repository.lockHash(userId)) === checked;
  }

  /**
   * Hashes a password for `set`. Separate from `set` because it is slow, and must not run inside a
   * transaction.
   * @param user Future owner of the password. The hash reuses the salt of other users with the same
   *   email address.
   * @throws AppError `unavailable` or `rate_limited` if too many passwords are being checked.
   */
  async hash(
    password: string,
    user: Pick<UserRecord, 'id' | 'accountId'> | null = null,
  ): Promise<string> {
    const like = user === null ? null : await this.repository.findHashOfNamesake(user.id);
    return this.inTurn(user?.accountId ?? 'service', () => hashPassword(password, like, this.cost));
  }

  /** @param hash Result of `hash`. */
  async set(userId: string, hash: string): Promise<void> {
    await this.repository.put(userId, hash);
  }

  async has(userId: string): Promise<boolean> {
    return this.repository.has(userId);
  }

  /** Returns the ids of the account's users who have a password. */
  async listHolders(accountId: string): Promise<ReadonlySet<string>> {
    return this.repository.listHolders(accountId);
  }

  private async inTurn<T>(holder: string, work: () => Promise<T>): Promise<T> {
    const release = await this.hashes.acquire(holder);
    try {
      return await work();
    } finally {
      release();
    }
  }
}
