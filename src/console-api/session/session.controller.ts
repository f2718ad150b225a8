import { Delete, Get, HttpCode, Post, Put } from '@nestjs/common';
import type { Caller } from '../../common/caller/app-request';
import type { JsonResponse } from '../../common/envelope/json-response';
import {
  CurrentCaller,
  Public,
  RequireSession,
  ServesWithoutSecondFactor,
} from '../../platform/http/access';
import { EnterGateInService } from '../../platform/routes/api-controller';
import { SmallJsonBody } from '../../platform/http/json-body';
import { ConsoleController, Id } from '../path-parameters';
import { CurrentVisit, type Visit } from '../visit';
import { ConsoleSessionService } from './console-session.service';
import { type PasskeyOptions, PasskeySignInService } from './passkey-sign-in.service';
import {
  type AccountChoice,
  type FactorChoice,
  type SessionView,
  SignInService,
} from './sign-in.service';
import { ChangePasswordDto, PasskeyDto, ProofDto, SignInDto } from './session.dto';

@ConsoleController('')
export class SessionController {
  constructor(
    private readonly sessions: ConsoleSessionService,
    private readonly signIns: SignInService,
    private readonly passkeySignIns: PasskeySignInService,
  ) {}

  @Post('session')
  @Public()
  @HttpCode(200)
  signIn(
    @SmallJsonBody(SignInDto) body: SignInDto,
    @CurrentVisit() visit: Visit,
  ): Promise<SessionView | AccountChoice | FactorChoice> {
    return this.signIns.signIn(body, visit);
  }

  @Post('session/challenge')
  @Public()
  @HttpCode(200)
  challenge(@CurrentVisit() visit: Visit): Promise<PasskeyOptions> {
    return this.passkeySignIns.challenge(visit);
  }

  @Post('session/passkey')
  @Public()
  @HttpCode(200)
  signInByPasskey(
    @SmallJsonBody(PasskeyDto) body: PasskeyDto,
    @CurrentVisit() visit: Visit,
  ): Promise<SessionView> {
    return this.passkeySignIns.signIn(body, visit);
  }

  @Get('session')
  @RequireSession('self:read')
  @ServesWithoutSecondFactor()
  get(@CurrentCaller() caller: Caller, @CurrentVisit() visit: Visit): Promise<SessionView> {
    return this.sessions.get(caller, visit);
  }

  @Post('session/proof')
  @RequireSession('self:write')
  @EnterGateInService()
  @HttpCode(204)
  prove(
    @CurrentCaller() caller: Caller,
    @SmallJsonBody(ProofDto) proof: ProofDto,
    @CurrentVisit() visit: Visit,
  ): Promise<void> {
    return this.sessions.prove(caller, proof, visit);
  }

  @Delete('session')
  @RequireSession('self:write')
  @ServesWithoutSecondFactor()
  signOut(@CurrentCaller() caller: Caller, @CurrentVisit() visit: Visit): Promise<void> {
    return this.sessions.signOut(caller, visit);
  }

  @Get('sessions')
  @RequireSession('self:read')
  @ServesWithoutSecondFactor()
  list(@CurrentCaller() caller: Caller): Promise<JsonResponse> {
    return this.sessions.list(caller);
  }

  @Delete('sessions/:id')
  @RequireSession('self:write')
  @ServesWithoutSecondFactor()
  end(
    @CurrentCaller() caller: Caller,
    @Id() id: string,
    @CurrentVisit() visit: Visit,
  ): Promise<void> {
    return this.sessions.end(caller, id, visit);
  }

  @Put('password')
  @RequireSession('self:write')
  @ServesWithoutSecondFactor()
  @EnterGateInService()
  changePassword(
    @CurrentCaller() caller: Caller,
    @SmallJsonBody(ChangePasswordDto) body: ChangePasswordDto,
    @CurrentVisit() visit: Visit,
  ): Promise<void> {
    return this.sessions.changePassword(caller, body, visit);
  }
}
