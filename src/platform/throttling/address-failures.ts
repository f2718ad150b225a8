import { Injectable } from '@nestjs/common';
import { AppConfig } from '../config/app-config';
import { AddressRateLimit } from './address-rate-limit';
import { RateCounters } from './rate-counters';
import { ThrottlingMetrics } from './throttling-metrics';

/** Limits failed authentication per client address. Requests with a valid key are not counted. */
@Injectable()
export class AddressFailures extends AddressRateLimit {
  constructor(
    { authFailureLimit, authFailureWindowSeconds }: AppConfig,
    counters: RateCounters,
    metrics: ThrottlingMetrics,
  ) {
    const policy = {
      name: 'auth-failures',
      isShown: true,
      message: 'Too many requests without a valid API key from this address. Retry later.',
    } as const;
    const counter = counters.create('address', authFailureLimit, authFailureWindowSeconds);
    super(counter, policy, metrics);
  }
}
