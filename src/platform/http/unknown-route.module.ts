import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { RouteTable } from './route-table';
import { UnknownRouteController } from './unknown-route.controller';

/** Imported last by the composition root: its routes catch what is left. */
@Module({
  imports: [DiscoveryModule],
  controllers: [UnknownRouteController],
  providers: [RouteTable],
  exports: [RouteTable],
})
export class UnknownRouteModule {}
