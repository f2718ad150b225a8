import { Global, Module } from '@nestjs/common';
import { IdempotencyModule } from '../idempotency/idempotency.module';
import { RequestEntry } from './api-controller';
import { GatedRequestEntry } from './request-entry';

/** What the request interceptor of all controllers uses. */
@Global()
@Module({
  imports: [IdempotencyModule],
  providers: [{ provide: RequestEntry, useClass: GatedRequestEntry }],
  exports: [RequestEntry],
})
export class RoutesModule {}
