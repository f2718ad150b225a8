import { Delete, Get, HttpCode, Patch, Post, Put } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import type { JsonResponse } from '../common/envelope/json-response';
import { CurrentCaller } from '../platform/http/access';
import { ScimBody } from '../platform/http/json-body';
import { CurrentScimRequest, ScimController, ScimId, ScimRoute } from './scim-controller';
import { ScimUserService } from './scim-user.service';
import type { ScimRequest } from './scim-request';

/** Users of an account, for its directory (RFC 7644). */
@ScimController('Users')
export class ScimUserController {
  constructor(private readonly users: ScimUserService) {}

  @Get()
  @ScimRoute()
  list(
    @CurrentCaller() caller: Caller,
    @CurrentScimRequest() request: ScimRequest,
  ): Promise<JsonResponse> {
    return this.users.list(caller, request);
  }

  @Post()
  @ScimRoute()
  @HttpCode(201)
  create(
    @CurrentCaller() caller: Caller,
    @ScimBody() body: unknown,
    @CurrentScimRequest() request: ScimRequest,
  ): Promise<JsonResponse> {
    return this.users.create(caller, body, request);
  }

  @Get(':id')
  @ScimRoute()
  get(
    @CurrentCaller() caller: Caller,
    @ScimId() id: string,
    @CurrentScimRequest() request: ScimRequest,
  ): Promise<JsonResponse> {
    return this.users.get(caller, id, request);
  }

  @Put(':id')
  @ScimRoute()
  replace(
    @CurrentCaller() caller: Caller,
    @ScimId() id: string,
    @ScimBody() body: unknown,
    @CurrentScimRequest() request: ScimRequest,
  ): Promise<JsonResponse> {
    return this.users.replace(caller, id, body, request);
  }

  @Patch(':id')
  @ScimRoute()
  patch(
    @CurrentCaller() caller: Caller,
    @ScimId() id: string,
    @ScimBody() body: unknown,
    @CurrentScimRequest() request: ScimRequest,
  ): Promise<JsonResponse> {
    return this.users.patch(caller, id, body, request);
  }

  @Delete(':id')
  @ScimRoute()
  @HttpCode(204)
  remove(
    @CurrentCaller() caller: Caller,
    @ScimId() id: string,
    @CurrentScimRequest() request: ScimRequest,
  ): Promise<JsonResponse> {
    return this.users.remove(caller, id, request);
  }
}
