import { Get, HttpCode, Patch, Post } from '@nestjs/common';
import type { Caller } from '../../common/caller/app-request';
import type { JsonResponse } from '../../common/envelope/json-response';
import type { PageRequest } from '../../common/paging/page-request';
import { CurrentCaller, RequireRecentSignIn, RequireSession } from '../../platform/http/access';
import { SmallJsonBody } from '../../platform/http/json-body';
import { Paging } from '../../platform/http/query';
import { EnterGateInService } from '../../platform/routes/api-controller';
import { ConsoleController, Id } from '../path-parameters';
import { ProofDto } from '../session/session.dto';
import { CurrentVisit, type Visit } from '../visit';
import { ConsoleScimService, type NewScimTokenView } from './console-scim.service';
import { CreateScimTokenDto, MapGroupDto } from './scim.dto';

/** Tokens and groups of the directory of the account. */
@ConsoleController('scim')
export class ConsoleScimController {
  constructor(private readonly scim: ConsoleScimService) {}

  @Get('tokens')
  @RequireSession('users:read')
  tokens(@CurrentCaller() caller: Caller): Promise<JsonResponse> {
    return this.scim.tokensOf(caller);
  }

  @Post('tokens')
  @RequireSession('users:write')
  createToken(
    @CurrentCaller() caller: Caller,
    @SmallJsonBody(CreateScimTokenDto) body: CreateScimTokenDto,
    @CurrentVisit() visit: Visit,
  ): Promise<NewScimTokenView> {
    return this.scim.createToken(caller, body, visit);
  }

  @Post('tokens/:id/revocation')
  @RequireSession('users:write')
  @HttpCode(204)
  revokeToken(
    @CurrentCaller() caller: Caller,
    @Id() id: string,
    @SmallJsonBody(ProofDto) proof: ProofDto,
    @CurrentVisit() visit: Visit,
  ): Promise<void> {
    return this.scim.revokeToken(caller, id, proof, visit);
  }

  @Get('groups')
  @RequireSession('users:read')
  @EnterGateInService()
  groups(@CurrentCaller() caller: Caller, @Paging() page: PageRequest): Promise<JsonResponse> {
    return this.scim.groupsOf(caller, page);
  }

  @Patch('groups/:id')
  @RequireRecentSignIn()
  @RequireSession('users:write')
  @EnterGateInService()
  mapGroup(
    @CurrentCaller() caller: Caller,
    @Id() id: string,
    @SmallJsonBody(MapGroupDto) body: MapGroupDto,
  ): Promise<object> {
    return this.scim.mapGroup(caller, id, body);
  }
}
