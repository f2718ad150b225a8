import {
  accountShare,
  AccountSemaphore,
  type Release,
  type SemaphoreMessages,
} from '../../platform/fairness/account-semaphore';

/** Time that a stream waits for a place before it is rejected. */
const WAIT_MS = 5_000;
/** Number of streams that may wait for each stream in progress. */
const WAITING_PER_PLACE = 4;

/** Limits the number of streams in progress, in total and per account. */
export class StreamPlaces {
  private readonly places: AccountSemaphore;

  constructor(total: number, messages: SemaphoreMessages) {
    const maxWaiting = total * WAITING_PER_PLACE;
    const perAccount = accountShare(total);
    const maxWaitingPerAccount = accountShare(maxWaiting);
    this.places = new AccountSemaphore(
      { total, perAccount, maxWaiting, maxWaitingPerAccount },
      messages,
    );
  }

  /**
   * Waits for a place, up to WAIT_MS.
   * @throws AppError `rate_limited` if the account has used its share, `unavailable` if all places
   *   are taken.
   */
  async take(accountId: string): Promise<Release> {
    return this.places.acquire(accountId, WAIT_MS);
  }
}
