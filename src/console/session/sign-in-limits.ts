import { Injectable } from '@nestjs/common';
import { AppError } from '../../common/error/app-error';
import { foldName } from '../../common/text/fold-name';
import { AppConfig } from '../../platform/config/app-config';
import { addressGroup } from '../../platform/throttling/address-group';
import { RateCounter } from '../../platform/throttling/rate-counter';
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
    private readonly metrics: ThrottlingMetrics,
  ) {
    this.counter = new RateCounter(signInLimit, signInWindowSeconds);
  }

  /**
   * Whether `isRight` says so.
   * @throws AppError `rate_limited` where there were too many that were not.
   */
  async try(
    email: string,
    address: string | null,
    isRight: () => Promise<boolean>,
  ): Promise<boolean> {
    const names = [`address ${addressGroup(address ?? '')}`, `email ${foldName(email)}`];
    for (const name of names) await this.count(name);
    let isWrong = false;
    try {
      isWrong = !(await isRight());
    } finally {
      if (!isWrong) for (const name of names) await this.counter.forgive(name);
    }
    return !isWrong;
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
