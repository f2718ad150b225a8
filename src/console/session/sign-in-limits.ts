import { Injectable } from '@nestjs/common';
import { AppError } from '../../common/error/app-error';
import { foldName } from '../../common/text/fold-name';
import { AppConfig } from '../../platform/config/app-config';
import { addressGroup } from '../../platform/throttling/address-group';
import type { RateCounter } from '../../platform/throttling/rate-counter';
import { RateCounters } from '../../platform/throttling/rate-counters';
import { ThrottlingMetrics } from '../../platform/throttling/throttling-metrics';

/**
 * Limits wrong passwords, by e-mail address and by client address. Attempts are counted before they
 * are looked at, so that none slips through beside others, and the right ones are forgiven.
 */
@Injectable()
export class SignInLimits {
  private readonly counter: RateCounter;

  constructor(
    { signInLimit, signInWindowSeconds }: AppConfig,
    counters: RateCounters,
    private readonly metrics: ThrottlingMetrics,
  ) {
    this.counter = counters.create('sign-in', signInLimit, signInWindowSeconds);
  }

  /**
   * @param check Gives `null` for a wrong password.
   * @returns What `check` gives.
   * @throws AppError `rate_limited` where there were too many that were not.
   */
  async try<T>(
    email: string,
    address: string | null,
    check: () => Promise<T | null>,
  ): Promise<T | null> {
    const names = [`address ${addressGroup(address ?? '')}`, `email ${foldName(email)}`];
    for (const name of names) await this.count(name);
    let isWrong = false;
    try {
      const right = await check();
      isWrong = right === null;
      return right;
    } finally {
      if (!isWrong) for (const name of names) this.counter.forgive(name);
    }
  }

  private async count(name: string): Promise<void> {
    const { allowed, resetSeconds } = await this.counter.hit(name);
    if (allowed) return;
    this.metrics.refused('sign-in');
    throw new AppError('rate_limited', 'Too many wrong passwords. Try again later.', {
      headers: { 'Retry-After': String(resetSeconds) },
    });
  }
}
