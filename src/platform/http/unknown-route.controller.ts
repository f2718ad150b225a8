import { All, Controller, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { AppRequest } from '../../common/caller/app-request';
import { Public, RequirePermission, RequireSession } from './access';
import { CONSOLE_API } from './rewrite-console-url';
import { PUBLIC_API } from './public-api';
import { RouteTable } from './route-table';

/**
 * Takes what no other route took, so that it goes the whole way: guards do not run on what no
 * route matches. Must be registered last.
 */
@ApiExcludeController()
@Controller()
export class UnknownRouteController {
  constructor(private readonly routes: RouteTable) {}

  @All([PUBLIC_API, `${PUBLIC_API}/{*path}`])
  @RequirePermission('self:read')
  refuseInApi(@Req() request: AppRequest): never {
    throw this.routes.rejection(request);
  }

  @All([CONSOLE_API, `${CONSOLE_API}/{*path}`])
  @RequireSession('self:read')
  refuseInConsole(@Req() request: AppRequest): never {
    throw this.routes.rejection(request);
  }

  @All('{*path}')
  @Public()
  refuseElsewhere(@Req() request: AppRequest): never {
    throw this.routes.rejection(request);
  }
}
