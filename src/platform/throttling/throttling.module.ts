import { Global, Module } from '@nestjs/common';
import { ThrottlerModule, type ThrottlerModuleOptions } from '@nestjs/throttler';
import { AppConfig } from '../config/app-config';
import { AddressFailures } from './address-failures';
import { KEY_THROTTLER } from './key-throttler.guard';
import { KeyThrottlerStorage } from './key-throttler-storage';
import { ThrottlingMetrics } from './throttling-metrics';

const options = (config: AppConfig): ThrottlerModuleOptions => ({
  throttlers: [
    {
      name: KEY_THROTTLER,
      limit: config.rateLimitRequests,
      ttl: config.rateLimitWindowSeconds * 1000,
    },
  ],
  storage: new KeyThrottlerStorage(config),
});

@Global()
@Module({
  imports: [ThrottlerModule.forRootAsync({ useFactory: options, inject: [AppConfig] })],
  providers: [AddressFailures, ThrottlingMetrics],
  exports: [ThrottlerModule, AddressFailures, ThrottlingMetrics],
})
export class ThrottlingModule {}
