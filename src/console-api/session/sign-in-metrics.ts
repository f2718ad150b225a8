import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../../platform/metrics/metrics';

/** How a sign-in ended: with a session, or why not. `provider_failed` is the fault of an identity provider. */
export type SignInOutcome =
  | 'success'
  | 'wrong_password'
  | 'wrong_code'
  | 'wrong_passkey'
  | 'suspended'
  | 'provider_required'
  | 'provider_failed';

/** Metrics of sign-ins to the console. */
@Injectable()
export class SignInMetrics {
  private readonly signIns: Counter<'outcome'>;

  constructor(metrics: Metrics) {
    const help = 'Sign-ins to the console, by outcome.';
    this.signIns = metrics.counter('sign_ins_total', help, ['outcome']);
  }

  ended(outcome: SignInOutcome): void {
    this.signIns.inc({ outcome });
  }
}
