import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { RouteTable } from './route-table';
import { UnknownRouteController } from './unknown-route.controller';

/** Handles requests that no other route matches. The composition root must import it last. */
@Module({
  imports: [DiscoveryModule],
  controllers: [UnknownRouteController],
  providers: [RouteTable],
  exports: [RouteTable],
})
export class UnknownRouteModule {}
