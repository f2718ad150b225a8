import { Global, Module } from '@nestjs/common';
import { AppConfig } from '../config/app-config';
import { Logger } from '../logging/logger';
import { RedisLink } from '../redis/redis-link';
import { RateCounters } from './rate-counters';

/** Provides rate counters to all modules. */
@Global()
@Module({
  providers: [
    {
      provide: RedisLink,
      useFactory: ({ redisUrl }: AppConfig, logger: Logger) =>
        redisUrl === undefined ? null : new RedisLink(redisUrl, logger),
      inject: [AppConfig, Logger],
    },
    {
      provide: RateCounters,
      useFactory: (link: RedisLink | null) => new RateCounters(link),
      inject: [RedisLink],
    },
  ],
  exports: [RateCounters, RedisLink],
})
export class RateCounterModule {}
