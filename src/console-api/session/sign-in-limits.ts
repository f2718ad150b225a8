import { Injectable } from '@nestjs/common';
import { AppError } from '../../common/error/app-error';
import { foldName } from '../../common/text/id';
import { AppConfig } from '../../platform/config/app-config';
import { semaphoreOf } from '../../platform/fairness/limit';
import { LIMITS } from '../../platform/fairness/limits';
import { addressGroup } from '../../platform/throttling/address-rate-limit';
import type { RateCounter } from '../../platform/throttling/rate-counter';
import { RateCounters } from '../../platform/throttling/rate-counters';
import { ThrottlingMetrics } from '../../platform/throttling/throttling-metrics';

/**
 * Whose password or code is checked. A signed-in user has a limit apart from that of sign-ins, so that strangers,
 * who know only the email address, cannot use it up.
 */
export type Subject = { readonly email: string } | { readonly userId: string };

const nameOf = (subject: Subject): string =>
  'email' in subject ? `email ${foldName(subject.email)}` : `user ${subject.userId}`;

/** A limit that an attempt counts against until it succeeds. */
interface Budget {
  readonly counter: RateCounter;
  readonly name: string;
}

/**
 * Limits wrong passwords and codes by email address or signed-in user, and by client address. An attempt is
 * reserved before it is checked, so that concurrent guesses cannot exceed the limit. The reservation is returned
 * unless the password or the code is wrong. If a limit is used up by attempts in progress, further attempts wait
 * for their outcome, so that correct passwords never use up a limit.
 */
@Injectable()
export class SignInLimits {
  private readonly bySubject: RateCounter;
  private readonly byAddress: RateCounter;
  private readonly inProgress = new AttemptsInProgress();
  private readonly permits = semaphoreOf(LIMITS.signIns, {});

  constructor(
    { signInLimit, signInAddressLimit, signInWindowSeconds }: AppConfig,
    counters: RateCounters,
    private readonly metrics: ThrottlingMetrics,
  ) {
    this.bySubject = counters.create('sign-in', signInLimit, signInWindowSeconds);
    this.byAddress = counters.create('sign-in-address', signInAddressLimit, signInWindowSeconds);
  }

  /**
   * Returns the key by which concurrent password checks are limited: the client's address, or its
   * network.
   */
  holderOf(address: string | null): string {
    return `address ${addressGroup(address ?? '')}`;
  }

  /**
   * Runs a check of a password or a code within the limits.
   * @param subject Whose it is, as far as it is known.
   * @param check Returns an empty array for a wrong one.
   * @returns the result of `check`.
   * @throws AppError `rate_limited` if there were too many wrong ones; `rate_limited` or
   *   `unavailable` if too many attempts are in progress.
   */
  async try<T>(
    subject: Subject,
    address: string | null,
    check: () => Promise<readonly T[]>,
  ): Promise<readonly T[]> {
    const holder = this.holderOf(address);
    const release = this.permits.acquireNow(holder);
    try {
      // Reserves the subject first: if its limit is used up, the attempt does not count
      // against the client address.
      return await this.tryReserved(check, [
        { counter: this.bySubject, name: nameOf(subject) },
        { counter: this.byAddress, name: holder },
      ]);
    } finally {
      release();
    }
  }

  private async tryReserved<T>(
    check: () => Promise<readonly T[]>,
    budgets: readonly Budget[],
  ): Promise<readonly T[]> {
    await this.reserveOrWait(budgets);
    let isWrong = false;
    try {
      const right = await check();
      isWrong = right.length === 0;
      return right;
    } finally {
      for (const { counter, name } of budgets) {
        if (!isWrong) counter.forgive(name);
        this.inProgress.end(name);
      }
    }
  }

  private async reserveOrWait(budgets: readonly Budget[]): Promise<void> {
    for (;;) {
      const used = await this.reserve(budgets);
      if (!used) return;
      const outcome = this.inProgress.next(used.name);
      if (!outcome) throw this.rejection(used.resetSeconds);
      await outcome;
    }
  }

  /**
   * Reserves all limits or none.
   * @returns the limit that is used up; `null` if all are reserved.
   */
  private async reserve(
    budgets: readonly Budget[],
  ): Promise<{ readonly name: string; readonly resetSeconds: number } | null> {
    const reserved: Budget[] = [];
    for (const budget of budgets) {
      const { counter, name } = budget;
      this.inProgress.begin(name);
      reserved.push(budget);
      const { allowed, resetSeconds } = await counter.reserve(name);
      if (allowed) continue;
      for (const each of reserved) {
        if (each !== budget) each.counter.forgive(each.name);
        this.inProgress.withdraw(each.name);
      }
      return { name, resetSeconds };
    }
    return null;
  }

  private rejection(resetSeconds: number): AppError {
    this.metrics.rejected('sign-in');
    return new AppError('rate_limited', 'Too many failed sign-ins. Retry later.', {
      headers: { 'Retry-After': String(resetSeconds) },
    });
  }
}

interface Attempts {
  count: number;
  /** Resolves when the next attempt of this name ends. */
  ended: Promise<void>;
  end: () => void;
}

function nextEnd(): Pick<Attempts, 'ended' | 'end'> {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { ended, end };
}

/** Sign-in attempts of this process whose outcome is not known yet, by the name of their limit. */
export class AttemptsInProgress {
  private readonly attempts = new Map<string, Attempts>();

  begin(name: string): void {
    const known = this.attempts.get(name);
    if (known) known.count += 1;
    else this.attempts.set(name, { count: 1, ...nextEnd() });
  }

  /** Ends an attempt with an outcome, and wakes all waiters of this name. */
  end(name: string): void {
    this.leave(name, true);
  }

  /**
   * Removes an attempt that was rejected before it was made. Wakes waiters only if it was the last
   * one of this name.
   */
  withdraw(name: string): void {
    this.leave(name, false);
  }

  /** Returns a promise for the next end of an attempt; `undefined` if none is in progress. */
  next(name: string): Promise<void> | undefined {
    return this.attempts.get(name)?.ended;
  }

  private leave(name: string, hasOutcome: boolean): void {
    const known = this.attempts.get(name);
    if (!known) return;
    known.count -= 1;
    if (known.count === 0) this.attempts.delete(name);
    else if (!hasOutcome) return;
    known.end();
    Object.assign(known, nextEnd());
  }
}
