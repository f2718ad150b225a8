import { applyDecorators, Get, HttpCode, Post } from '@nestjs/common';
import type { Caller } from '../../common/caller/app-request';
import {
  CurrentCaller,
  RequireSession,
  ServesWithoutSecondFactor,
} from '../../platform/http/access';
import { SmallJsonBody } from '../../platform/http/json-body';
import { EnterGateInService } from '../../platform/routes/api-controller';
import { ConsoleController, Id } from '../path-parameters';
import { CodeDto, NewPasskeyDto, ProofDto } from '../session/session.dto';
import { CurrentVisit, type Visit } from '../visit';
import {
  type AddedFactor,
  ConsoleFactorService,
  type FactorState,
  type NewPasskeyOptions,
  type PasskeyOptions,
  type RecoveryCodes,
  type TotpEnrollment,
} from './console-factor.service';

/** A change of the caller's own factors. */
const OwnChange = (path: string): MethodDecorator =>
  applyDecorators(Post(path), RequireSession('self:write'), EnterGateInService());

/** Second factors of the signed-in user. */
@ConsoleController('factors')
export class FactorController {
  constructor(private readonly factors: ConsoleFactorService) {}

  @Get()
  @RequireSession('self:read')
  @ServesWithoutSecondFactor()
  get(@CurrentCaller() caller: Caller): Promise<FactorState> {
    return this.factors.get(caller);
  }

  @OwnChange('challenge')
  @HttpCode(200)
  challenge(
    @CurrentCaller() caller: Caller,
    @CurrentVisit() visit: Visit,
  ): Promise<PasskeyOptions> {
    return this.factors.challenge(caller, visit);
  }

  @OwnChange('totp')
  @ServesWithoutSecondFactor()
  beginTotp(
    @CurrentCaller() caller: Caller,
    @SmallJsonBody(ProofDto) proof: ProofDto,
    @CurrentVisit() visit: Visit,
  ): Promise<TotpEnrollment> {
    return this.factors.beginTotp(caller, proof, visit);
  }

  @OwnChange('totp/confirmation')
  @ServesWithoutSecondFactor()
  confirmTotp(
    @CurrentCaller() caller: Caller,
    @SmallJsonBody(CodeDto) body: CodeDto,
    @CurrentVisit() visit: Visit,
  ): Promise<AddedFactor> {
    return this.factors.confirmTotp(caller, body, visit);
  }

  @OwnChange('totp/removal')
  @HttpCode(204)
  removeTotp(
    @CurrentCaller() caller: Caller,
    @SmallJsonBody(ProofDto) proof: ProofDto,
    @CurrentVisit() visit: Visit,
  ): Promise<void> {
    return this.factors.removeTotp(caller, proof, visit);
  }

  @OwnChange('passkeys')
  @ServesWithoutSecondFactor()
  @HttpCode(200)
  beginPasskey(
    @CurrentCaller() caller: Caller,
    @SmallJsonBody(ProofDto) proof: ProofDto,
    @CurrentVisit() visit: Visit,
  ): Promise<NewPasskeyOptions> {
    return this.factors.beginPasskey(caller, proof, visit);
  }

  @OwnChange('passkeys/confirmation')
  @ServesWithoutSecondFactor()
  addPasskey(
    @CurrentCaller() caller: Caller,
    @SmallJsonBody(NewPasskeyDto) body: NewPasskeyDto,
    @CurrentVisit() visit: Visit,
  ): Promise<AddedFactor> {
    return this.factors.addPasskey(caller, body, visit);
  }

  @OwnChange('passkeys/:id/removal')
  @HttpCode(204)
  removePasskey(
    @CurrentCaller() caller: Caller,
    @Id() id: string,
    @SmallJsonBody(ProofDto) proof: ProofDto,
    @CurrentVisit() visit: Visit,
  ): Promise<void> {
    return this.factors.removePasskey(caller, id, proof, visit);
  }

  @OwnChange('recovery-codes')
  createRecoveryCodes(
    @CurrentCaller() caller: Caller,
    @SmallJsonBody(ProofDto) proof: ProofDto,
    @CurrentVisit() visit: Visit,
  ): Promise<RecoveryCodes> {
    return this.factors.createRecoveryCodes(caller, proof, visit);
  }
}
