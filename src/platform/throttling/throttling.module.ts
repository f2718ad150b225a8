import { Global, Module } from '@nestjs/common';
import { ThrottlerModule, type ThrottlerModuleOptions } from '@nestjs/throttler';
import { AppConfig } from '../config/app-config';
import { AccountRateLimit } from './account-rate-limit';
import { AddressFailures } from './address-rate-limit';
import { KEY_THROTTLER, KeyThrottlerStorage } from './key-throttler.guard';
import { PublicRateLimits } from './public-rate-limits';
import { RateCounterModule, RateCounters } from './rate-counters';
import { ThrottlingMetrics } from './throttling-metrics';

function options(config: AppConfig, counters: RateCounters): ThrottlerModuleOptions {
  const { rateLimitRequests: limit, rateLimitWindowSeconds: windowSeconds } = config;
  return {
    throttlers: [{ name: KEY_THROTTLER, limit, ttl: windowSeconds * 1000 }],
    storage: new KeyThrottlerStorage(counters.create('key', limit, windowSeconds)),
  };
}

@Global()
@Module({
  imports: [
    RateCounterModule,
    ThrottlerModule.forRootAsync({
      imports: [RateCounterModule],
      useFactory: options,
      inject: [AppConfig, RateCounters],
    }),
  ],
  providers: [AccountRateLimit, AddressFailures, PublicRateLimits, ThrottlingMetrics],
  exports: [
    ThrottlerModule,
    AccountRateLimit,
    AddressFailures,
    PublicRateLimits,
    ThrottlingMetrics,
  ],
})
export class ThrottlingModule {}
