import { Injectable } from '@nestjs/common';
import { Turns, TurnsTakenError } from '../../common/async/turns';
import { unavailable } from '../../common/error/app-error';
import { hashPassword, isPasswordOf, pretendToCheck } from './password-hash';
import { PasswordRepository } from './password.repository';

/** Each hash takes 128 MiB, and one of Node's four threads for half a second. */
const MOST_AT_A_TIME = 2;
/** Who comes next would wait for longer than anybody does. */
const MOST_WAITING = 20;

/** Passwords of users, for the console. */
@Injectable()
export class PasswordService {
  private readonly turns = new Turns(MOST_AT_A_TIME, MOST_WAITING);

  constructor(private readonly repository: PasswordRepository) {}

  /**
   * Whether it is the user's. Takes the same time where there is no such user (`null`), or one
   * without a password.
   * @returns What it was checked against, for `isStill`; `null` where it is wrong.
   * @throws AppError `unavailable` where too many passwords are checked at the moment.
   */
  async check(userId: string | null, password: string): Promise<string | null> {
    const stored = userId === null ? null : await this.repository.findHash(userId);
    return this.inTurn(async () => {
      if (stored !== null) return (await isPasswordOf(stored, password)) ? stored : null;
      await pretendToCheck(password);
      return null;
    });
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
   * @throws AppError `unavailable` where too many passwords are checked at the moment.
   */
  async hash(password: string): Promise<string> {
    return this.inTurn(() => hashPassword(password));
  }

  /** @param hash As `hash` gives it. */
  async set(userId: string, hash: string): Promise<void> {
    await this.repository.put(userId, hash);
  }

  async has(userId: string): Promise<boolean> {
    return (await this.repository.findHash(userId)) !== null;
  }

  /** The account's users who have one, by id. */
  async findHolders(accountId: string): Promise<ReadonlySet<string>> {
    return this.repository.findHolders(accountId);
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.turns.take(work);
    } catch (error) {
      if (!(error instanceof TurnsTakenError)) throw error;
      throw unavailable('Too many people sign in at the moment.', error);
    }
  }
}
