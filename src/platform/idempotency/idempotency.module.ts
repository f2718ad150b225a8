import { Module } from '@nestjs/common';
import { IdempotencyRepository } from './idempotency.repository';
import { IdempotencyService, OldKeysService } from './idempotency.service';

@Module({
  providers: [IdempotencyService, IdempotencyRepository, OldKeysService],
  exports: [IdempotencyService],
})
export class IdempotencyModule {}
