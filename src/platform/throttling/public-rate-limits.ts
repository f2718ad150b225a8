import { Injectable } from '@nestjs/common';
import { AppConfig } from '../config/app-config';
import { AddressRateLimit } from './address-rate-limit';
import { RateCounters } from './rate-counters';
import { ThrottlingMetrics } from './throttling-metrics';

/** Limit for files, as a multiple of the limit for other requests: one page loads several files. */
const FILES_PER_REQUEST = 10;

/**
 * Limits requests without a caller per client address: requests to public routes, to unknown paths,
 * and to the console without a session. Requests with a valid key or session are not counted.
 */
@Injectable()
export class PublicRateLimits {
  readonly requests: AddressRateLimit;
  /** Limit for pages and files, which many people behind one address may load at the same time. */
  readonly files: AddressRateLimit;

  constructor(
    { publicRateLimitRequests: limit, rateLimitWindowSeconds: windowSeconds }: AppConfig,
    counters: RateCounters,
    metrics: ThrottlingMetrics,
  ) {
    this.requests = new AddressRateLimit(
      counters.create('public', limit, windowSeconds),
      {
        name: 'public',
        isShown: true,
        message: 'Too many requests without a key or session from this address. Retry later.',
      },
      metrics,
    );
    this.files = new AddressRateLimit(
      counters.create('public-files', limit * FILES_PER_REQUEST, windowSeconds),
      {
        name: 'public-files',
        isShown: false,
        message: 'Too many requests for pages and files from this address. Retry later.',
      },
      metrics,
    );
  }
}
