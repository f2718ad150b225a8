import { Module } from '@nestjs/common';
import { IdempotencyRepository } from './idempotency.repository';
import { IdempotencyService } from './idempotency.service';
import { OldKeysService } from './old-keys.service';

@Module({
  providers: [IdempotencyService, IdempotencyRepository, OldKeysService],
  exports: [IdempotencyService],
})
export class IdempotencyModule {}
