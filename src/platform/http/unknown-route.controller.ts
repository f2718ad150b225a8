import { All, Controller, Module, Req } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ApiExcludeController } from '@nestjs/swagger';
import type { AppRequest } from '../../common/caller/app-request';
import { Public, PUBLIC_API, RequirePermission, RequireSession } from './access';
import { RouteTable } from './path-id';
import { CONSOLE_API } from './rewrite-console-url';

/**
 * Matches every request that no other route matches, because guards run only for requests that
 * match a route. Must be registered last.
 */
@ApiExcludeController()
@Controller()
export class UnknownRouteController {
  constructor(private readonly routes: RouteTable) {}

  @All([PUBLIC_API, `${PUBLIC_API}/{*path}`])
  @RequirePermission('self:read')
  rejectInApi(@Req() request: AppRequest): never {
    throw this.routes.rejection(request);
  }

  @All([CONSOLE_API, `${CONSOLE_API}/{*path}`])
  @RequireSession('self:read')
  rejectInConsole(@Req() request: AppRequest): never {
    throw this.routes.rejection(request);
  }

  @All('{*path}')
  @Public()
  rejectElsewhere(@Req() request: AppRequest): never {
    throw this.routes.rejection(request);
  }
}

/** Handles requests that no other route matches. The composition root must import it last. */
@Module({
  imports: [DiscoveryModule],
  controllers: [UnknownRouteController],
  providers: [RouteTable],
  exports: [RouteTable],
})
export class UnknownRouteModule {}
