import { Module } from '@nestjs/common';
import { RetentionRepository } from './retention.repository';
import { RetentionService } from './retention.service';

/** Deletes records that are no longer kept. Commands do not use it. */
@Module({ providers: [RetentionService, RetentionRepository] })
export class RetentionModule {}
