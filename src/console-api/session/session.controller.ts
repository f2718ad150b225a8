import { Delete, Get, HttpCode, Post, Put } from '@nestjs/common';
import type { Caller } from '../../common/caller/app-request';
import type { JsonResponse } from '../../common/envelope/json-response';
import {
  CurrentCaller,
  Public,
  RequireSession,
  ServesWithoutFactor,
} from '../../platform/http/access';
import { EnterGateInService } from '../../platform/routes/api-controller';
import { SmallJsonBody } from '../../platform/http/json-body';
import { ConsoleController, Id } from '../path-parameters';
import { CurrentVisit, type Visit } from '../visit';
import { ConsoleSessionService } from './console-session.service';
import {
  type AccountChoice,
  type FactorRequest,
  type SessionView,
  SignInService,
} from './sign-in.service';
import { ChangePasswordDto, SignInDto } from './session.dto';

@ConsoleController('')
export class SessionController {
  constructor(
    private readonly sessions: ConsoleSessionService,
    private readonly signIns: SignInService,
  ) {}

  @Post('session')
  @Public()
  @HttpCode(200)
  signIn(
    @SmallJsonBody(SignInDto) body: SignInDto,
    @CurrentVisit() visit: Visit,
  ): Promise<SessionView | AccountChoice | FactorRequest> {
    return this.signIns.signIn(body, visit);
  }

  @Get('session')
  @RequireSession('self:read')
  @ServesWithoutFactor()
  get(@CurrentCaller() caller: Caller, @CurrentVisit() visit: Visit): Promise<SessionView> {
    return this.sessions.get(caller, visit);
  }

  @Delete('session')
  @RequireSession('self:write')
  @ServesWithoutFactor()
  signOut(@CurrentCaller() caller: Caller, @CurrentVisit() visit: Visit): Promise<void> {
    return this.sessions.signOut(caller, visit);
  }

  @Get('sessions')
  @RequireSession('self:read')
  @ServesWithoutFactor()
  list(@CurrentCaller() caller: Caller): Promise<JsonResponse> {
    return this.sessions.list(caller);
  }

  @Delete('sessions/:id')
  @RequireSession('self:write')
  @ServesWithoutFactor()
  end(
    @CurrentCaller() caller: Caller,
    @Id() id: string,
    @CurrentVisit() visit: Visit,
  ): Promise<void> {
    return this.sessions.end(caller, id, visit);
  }

  @Put('password')
  @RequireSession('self:write')
  @ServesWithoutFactor()
  @EnterGateInService()
  changePassword(
    @CurrentCaller() caller: Caller,
    @SmallJsonBody(ChangePasswordDto) body: ChangePasswordDto,
    @CurrentVisit() visit: Visit,
  ): Promise<void> {
    return this.sessions.changePassword(caller, body, visit);
  }
}
