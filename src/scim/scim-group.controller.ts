import { Delete, Get, HttpCode, Patch, Post, Put } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import type { JsonResponse } from '../common/envelope/json-response';
import { CurrentCaller } from '../platform/http/access';
import { ScimBody } from '../platform/http/json-body';
import { CurrentScimRequest, ScimController, ScimId, ScimRoute } from './scim-controller';
import { ScimGroupService } from './scim-group.service';
import type { ScimRequest } from './scim-request';

/** Groups of an account, for its directory (RFC 7644). */
@ScimController('Groups')
export class ScimGroupController {
  constructor(private readonly groups: ScimGroupService) {}

  @Get()
  @ScimRoute()
  list(
    @CurrentCaller() caller: Caller,
    @CurrentScimRequest() request: ScimRequest,
  ): Promise<JsonResponse> {
    return this.groups.list(caller, request);
  }

  @Post()
  @ScimRoute()
  @HttpCode(201)
  create(
    @CurrentCaller() caller: Caller,
    @ScimBody() body: unknown,
    @CurrentScimRequest() request: ScimRequest,
  ): Promise<JsonResponse> {
    return this.groups.create(caller, body, request);
  }

  @Get(':id')
  @ScimRoute()
  get(
    @CurrentCaller() caller: Caller,
    @ScimId() id: string,
    @CurrentScimRequest() request: ScimRequest,
  ): Promise<JsonResponse> {
    return this.groups.get(caller, id, request);
  }

  @Put(':id')
  @ScimRoute()
  replace(
    @CurrentCaller() caller: Caller,
    @ScimId() id: string,
    @ScimBody() body: unknown,
    @CurrentScimRequest() request: ScimRequest,
  ): Promise<JsonResponse> {
    return this.groups.replace(caller, id, body, request);
  }

  @Patch(':id')
  @ScimRoute()
  patch(
    @CurrentCaller() caller: Caller,
    @ScimId() id: string,
    @ScimBody() body: unknown,
    @CurrentScimRequest() request: ScimRequest,
  ): Promise<JsonResponse> {
    return this.groups.patch(caller, id, body, request);
  }

  @Delete(':id')
  @ScimRoute()
  @HttpCode(204)
  remove(
    @CurrentCaller() caller: Caller,
    @ScimId() id: string,
    @CurrentScimRequest() request: ScimRequest,
  ): Promise<JsonResponse> {
    return this.groups.remove(caller, id, request);
  }
}
