import { All, Controller, Module, Req } from '@nestjs/common';
import { DiscoveryModule, ModuleRef } from '@nestjs/core';
import { ApiExcludeController } from '@nestjs/swagger';
import type { AppRequest } from '../../common/caller/app-request';
import { Public, PUBLIC_API, RequirePermission, RequireScimToken, RequireSession } from './access';
import { SCIM_API } from './error-form';
import { RouteTable } from './route-table';
import { CONSOLE_API } from './rewrite-console-url';

/** Token of the `HtmlNotFound` of the application. */
export const HTML_NOT_FOUND = Symbol('HTML_NOT_FOUND');

/** Provides the page that browsers get for an unknown path outside of the API. */
export interface HtmlNotFound {
  /** Returns the response for the HTTP adapter, or `null` if there is no such page. */
  notFoundPage(): object | null;
}

/**
 * Matches every request that no other route matches, because guards run only for requests that
 * match a route. Must be registered last.
 */
@ApiExcludeController()
@Controller()
export class UnknownRouteController {
  constructor(
    private readonly routes: RouteTable,
    private readonly modules: ModuleRef,
  ) {}

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

  @All([SCIM_API, `${SCIM_API}/{*path}`])
  @RequireScimToken()
  rejectInScim(@Req() request: AppRequest): never {
    throw this.routes.rejection(request);
  }

  @All('{*path}')
  @Public()
  rejectElsewhere(@Req() request: AppRequest): object {
    const rejection = this.routes.rejection(request);
    const page = rejection.code === 'not_found' && isNavigation(request) ? this.page() : null;
    if (page === null) throw rejection;
    return page;
  }

  private page(): object | null {
    return this.modules.get<HtmlNotFound>(HTML_NOT_FOUND, { strict: false }).notFoundPage();
  }
}

/** Returns true if a browser navigates. Clients that accept any type get the error as JSON. */
const isNavigation = (request: AppRequest): boolean =>
  ['GET', 'HEAD'].includes(request.method) && request.accepts(['json', 'html']) === 'html';

/** Handles requests that no other route matches. The composition root must import it last. */
@Module({
  imports: [DiscoveryModule],
  controllers: [UnknownRouteController],
  providers: [RouteTable],
  exports: [RouteTable],
})
export class UnknownRouteModule {}
