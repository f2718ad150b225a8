import { Injectable } from '@nestjs/common';
import { AppConfig } from '../config/app-config';
import { AddressRateLimit } from './address-rate-limit';
import { RateCounters } from './rate-counters';
import { ThrottlingMetrics } from './throttling-metrics';

/** Files that one address may read, as a multiple of its other requests: a page loads several. */
const FILES_PER_REQUEST = 10;

/**
 * Limits requests without a caller by client address: those to public routes, to paths that do not
 * exist, and to the console without a session. A request with a good key or session never comes
 * here.
 */
@Injectable()
export class PublicRateLimits {
  readonly requests: AddressRateLimit;
  /** Of pages and files, which many people behind one address may load at the same time. */
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
