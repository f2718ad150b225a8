import { Get, HttpCode, Post } from '@nestjs/common';
import type { Caller } from '../../common/caller/app-request';
import { CurrentCaller, RequireSession, ServesWithoutFactor } from '../../platform/http/access';
import { SmallJsonBody } from '../../platform/http/json-body';
import { EnterGateInService } from '../../platform/routes/api-controller';
import { ConsoleController } from '../path-parameters';
import { CodeDto, CurrentPasswordDto, PasswordAndCodeDto } from '../session/session.dto';
import { CurrentVisit, type Visit } from '../visit';
import {
  ConsoleFactorService,
  type FactorState,
  type RecoveryCodes,
  type TotpEnrollment,
} from './console-factor.service';

/** Second factors of the signed-in user. */
@ConsoleController('factors')
export class FactorController {
  constructor(private readonly factors: ConsoleFactorService) {}

  @Get()
  @RequireSession('self:read')
  @ServesWithoutFactor()
  get(@CurrentCaller() caller: Caller): Promise<FactorState> {
    return this.factors.get(caller);
  }

  @Post('totp')
  @RequireSession('self:write')
  @ServesWithoutFactor()
  @EnterGateInService()
  begin(
    @CurrentCaller() caller: Caller,
    @SmallJsonBody(CurrentPasswordDto) body: CurrentPasswordDto,
    @CurrentVisit() visit: Visit,
  ): Promise<TotpEnrollment> {
    return this.factors.begin(caller, body, visit);
  }

  @Post('totp/confirmation')
  @RequireSession('self:write')
  @ServesWithoutFactor()
  @EnterGateInService()
  confirm(
    @CurrentCaller() caller: Caller,
    @SmallJsonBody(CodeDto) body: CodeDto,
    @CurrentVisit() visit: Visit,
  ): Promise<RecoveryCodes> {
    return this.factors.confirm(caller, body, visit);
  }

  @Post('totp/removal')
  @RequireSession('self:write')
  @ServesWithoutFactor()
  @EnterGateInService()
  @HttpCode(204)
  remove(
    @CurrentCaller() caller: Caller,
    @SmallJsonBody(PasswordAndCodeDto) body: PasswordAndCodeDto,
    @CurrentVisit() visit: Visit,
  ): Promise<void> {
    return this.factors.remove(caller, body, visit);
  }

  @Post('recovery-codes')
  @RequireSession('self:write')
  @ServesWithoutFactor()
  @EnterGateInService()
  createRecoveryCodes(
    @CurrentCaller() caller: Caller,
    @SmallJsonBody(PasswordAndCodeDto) body: PasswordAndCodeDto,
    @CurrentVisit() visit: Visit,
  ): Promise<RecoveryCodes> {
    return this.factors.createRecoveryCodes(caller, body, visit);
  }
}
