import { Global, Module } from '@nestjs/common';
import { ActivityExchange } from './activity-exchange';
import { InstanceLimits } from './instance-limits';

/** Provides the limits of the instance to all modules. */
@Global()
@Module({ providers: [InstanceLimits, ActivityExchange], exports: [InstanceLimits] })
export class FairnessModule {}
