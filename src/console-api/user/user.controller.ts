import { Delete, Get, Patch, Post } from '@nestjs/common';
import type { Caller } from '../../common/caller/app-request';
import type { JsonResponse } from '../../common/envelope/json-response';
import { CurrentCaller, RequireRecentSignIn, RequireSession } from '../../platform/http/access';
import { SmallJsonBody } from '../../platform/http/json-body';
import { ConsoleController, Id } from '../path-parameters';
import { CurrentVisit, type Visit } from '../visit';
import {
  ConsoleUserService,
  type InvitedUser,
  type NewLink,
  type UserView,
} from './console-user.service';
import { CreateUserDto, UpdateUserDto } from './user.dto';

@ConsoleController('users')
export class UserController {
  constructor(private readonly users: ConsoleUserService) {}

  @Get()
  @RequireSession('users:read')
  list(@CurrentCaller() caller: Caller): Promise<JsonResponse> {
    return this.users.list(caller);
  }

  @Post()
  @RequireRecentSignIn()
  @RequireSession('users:write')
  create(
    @CurrentCaller() caller: Caller,
    @SmallJsonBody(CreateUserDto) body: CreateUserDto,
    @CurrentVisit() visit: Visit,
  ): Promise<InvitedUser> {
    return this.users.create(caller, body, visit);
  }

  @Post(':id/invite')
  @RequireRecentSignIn()
  @RequireSession('users:write')
  invite(
    @CurrentCaller() caller: Caller,
    @Id() id: string,
    @CurrentVisit() visit: Visit,
  ): Promise<NewLink> {
    return this.users.invite(caller, id, visit);
  }

  @Delete(':id/factors')
  @RequireRecentSignIn()
  @RequireSession('users:write')
  removeFactors(@CurrentCaller() caller: Caller, @Id() id: string): Promise<void> {
    return this.users.removeFactors(caller, id);
  }

  @Patch(':id')
  @RequireRecentSignIn()
  @RequireSession('users:write')
  update(
    @CurrentCaller() caller: Caller,
    @Id() id: string,
    @SmallJsonBody(UpdateUserDto) body: UpdateUserDto,
  ): Promise<UserView> {
    return this.users.update(caller, id, body);
  }
}
