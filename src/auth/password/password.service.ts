import { Injectable } from '@nestjs/common';
import { AccountSemaphore } from '../../platform/fairness/account-semaphore';
import type { UserRecord } from '../user/user.repository';
import { hashPassword, matchingHashes } from './password-hash';
import { PasswordRepository, type CheckedPassword } from './password.repository';

/**
 * Each hash takes 128 MiB, and one of Node's four threads for half a second. One holder may take
 * both places: they are free again soon, and whoever waits comes next in turn.
 */
const HASHES = { total: 2, perAccount: 2, maxWaiting: 100, maxWaitingPerAccount: 50 };
const PATIENCE_MS = 30_000;

/** Passwords of users, for the console. */
@Injectable()
export class PasswordService {
  private readonly hashes = new AccountSemaphore(HASHES, {
    full: 'Too many sign-ins are in progress. Retry later.',
    accountFull: 'Too many concurrent sign-ins. Retry later.',
  });

  constructor(private readonly repository: PasswordRepository) {}

  /**
   * Whose password it is, of these users. Takes the same time however many there are, and whether
   * they have passwords.
   * @param holder Who takes turns with others: a client's address, or an account.
   * @returns What it was checked against, for `isStill`; nothing where it is wrong.
   * @throws AppError `unavailable` or `rate_limited` if too many passwords are checked.
   */
  async check(
    userIds: readonly string[],
    password: string,
    holder: string,
  ): Promise<readonly CheckedPassword[]> {
    const stored = await this.repository.listHashes(userIds);
    const hashes = stored.map(({ hash }) => hash);
    const matching = await this.inTurn(holder, () => matchingHashes(hashes, password));
    return stored.filter(({ hash }) => matching.includes(hash));
  }

  /**
   * Whether a password that `check` has found right still is: checking takes its time, in which it
   * may be changed. Inside a transaction it then stays so until that is over.
   */
  async isStill(userId: string, checked: string): Promise<boolean> {
    return (await this.repository.lockHash(userId)) === checked;
  }

  /**
   * What `set` stores. Apart from that, since it takes its time, which no transaction should.
   * @param user Whose it is going to be: it shares the salt of others with the same address.
   * @throws AppError `unavailable` or `rate_limited` if too many passwords are checked.
   */
  async hash(
    password: string,
    user: Pick<UserRecord, 'id' | 'accountId'> | null = null,
  ): Promise<string> {
    const like = user === null ? null : await this.repository.findHashOfNamesake(user.id);
    return this.inTurn(user?.accountId ?? 'service', () => hashPassword(password, like));
  }

  /** @param hash As `hash` gives it. */
  async set(userId: string, hash: string): Promise<void> {
    await this.repository.put(userId, hash);
  }

  async has(userId: string): Promise<boolean> {
    return this.repository.has(userId);
  }

  /** The account's users who have one, by id. */
  async findHolders(accountId: string): Promise<ReadonlySet<string>> {
    return this.repository.findHolders(accountId);
  }

  private async inTurn<T>(holder: string, work: () => Promise<T>): Promise<T> {
    const release = await this.hashes.acquire(holder, PATIENCE_MS);
    try {
      return await work();
    } finally {
      release();
    }
  }
}
