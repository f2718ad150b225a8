import { Delete, Get, HttpCode, Post } from '@nestjs/common';
import type { Caller } from '../../common/caller/app-request';
import type { JsonResponse } from '../../common/envelope/json-response';
import type { PageRequest } from '../../common/paging/page-request';
import { CurrentCaller, RequireRecentSignIn, RequireSession } from '../../platform/http/access';
import { SmallJsonBody } from '../../platform/http/json-body';
import { Paging } from '../../platform/http/query';
import { EnterGateInService } from '../../platform/routes/api-controller';
import { ConsoleController, Id } from '../path-parameters';
import { CurrentVisit, type Visit } from '../visit';
import { AuthorizationQueryDto, AuthorizeDto } from './application.dto';
import {
  type AuthorizationView,
  type Authorized,
  ConsoleApplicationService,
} from './console-application.service';

/** Applications that ask for access, and those that have it. */
@ConsoleController('applications')
export class ApplicationController {
  constructor(private readonly applications: ConsoleApplicationService) {}

  @Get()
  @RequireSession('self:read')
  list(@CurrentCaller() caller: Caller): Promise<JsonResponse> {
    return this.applications.list(caller);
  }

  @Get('of-account')
  @RequireSession('users:read')
  listOfAccount(
    @CurrentCaller() caller: Caller,
    @Paging() page: PageRequest,
  ): Promise<JsonResponse> {
    return this.applications.listOfAccount(caller, page);
  }

  @Post('request')
  @RequireSession('self:write')
  @EnterGateInService()
  @HttpCode(200)
  describe(
    @CurrentCaller() caller: Caller,
    @SmallJsonBody(AuthorizationQueryDto) body: AuthorizationQueryDto,
    @CurrentVisit() visit: Visit,
  ): Promise<AuthorizationView> {
    return this.applications.describe(caller, body, visit);
  }

  @Post()
  @RequireRecentSignIn()
  @RequireSession('self:write')
  @EnterGateInService()
  authorize(
    @CurrentCaller() caller: Caller,
    @SmallJsonBody(AuthorizeDto) body: AuthorizeDto,
    @CurrentVisit() visit: Visit,
  ): Promise<Authorized> {
    return this.applications.authorize(caller, body, visit);
  }

  @Delete(':id')
  @RequireSession('self:write')
  revoke(@CurrentCaller() caller: Caller, @Id() id: string): Promise<void> {
    return this.applications.revoke(caller, id);
  }

  @Delete('of-account/:id')
  @RequireSession('users:write')
  revokeOfAccount(@CurrentCaller() caller: Caller, @Id() id: string): Promise<void> {
    return this.applications.revokeOfAccount(caller, id);
  }
}
