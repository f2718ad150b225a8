import { Get, HttpCode, Patch, Post } from '@nestjs/common';
import type { Caller } from '../../common/caller/app-request';
import type { JsonResponse } from '../../common/envelope/json-response';
import { CurrentCaller, Public, RequireSession } from '../../platform/http/access';
import { FormBody } from '../../platform/http/form-body';
import { SmallJsonBody } from '../../platform/http/json-body';
import { EnterGateInService } from '../../platform/routes/api-controller';
import { ConsoleController, Id } from '../path-parameters';
import { ProofDto } from '../session/session.dto';
import type { SessionView } from '../session/sign-in.service';
import { CurrentVisit, type Visit } from '../visit';
import {
  ConsoleProviderService,
  type OwnProviderView,
  type ShownProvider,
  type SignInUrl,
} from './console-provider.service';
import {
  CreateProviderDto,
  ProviderResponseDto,
  ProviderSearchDto,
  UpdateProviderDto,
} from './provider.dto';

/** Identity providers of the account, and sign-ins by them. */
@ConsoleController('providers')
export class ProviderController {
  constructor(private readonly providers: ConsoleProviderService) {}

  @Get()
  @RequireSession('users:read')
  list(@CurrentCaller() caller: Caller, @CurrentVisit() visit: Visit): Promise<JsonResponse> {
    return this.providers.list(caller, visit);
  }

  @Post()
  @RequireSession('users:write')
  @EnterGateInService()
  create(
    @CurrentCaller() caller: Caller,
    @SmallJsonBody(CreateProviderDto) body: CreateProviderDto,
    @CurrentVisit() visit: Visit,
  ): Promise<OwnProviderView> {
    return this.providers.create(caller, body, visit);
  }

  @Patch(':id')
  @RequireSession('users:write')
  @EnterGateInService()
  update(
    @CurrentCaller() caller: Caller,
    @Id() id: string,
    @SmallJsonBody(UpdateProviderDto) body: UpdateProviderDto,
    @CurrentVisit() visit: Visit,
  ): Promise<OwnProviderView> {
    return this.providers.update(caller, id, body, visit);
  }

  @Post(':id/removal')
  @RequireSession('users:write')
  @EnterGateInService()
  @HttpCode(204)
  remove(
    @CurrentCaller() caller: Caller,
    @Id() id: string,
    @SmallJsonBody(ProofDto) proof: ProofDto,
    @CurrentVisit() visit: Visit,
  ): Promise<void> {
    return this.providers.remove(caller, id, proof, visit);
  }

  @Get(':id')
  @Public()
  get(@Id() id: string): Promise<ShownProvider> {
    return this.providers.get(id);
  }

  @Post('search')
  @Public()
  @HttpCode(200)
  search(@SmallJsonBody(ProviderSearchDto) body: ProviderSearchDto): Promise<JsonResponse> {
    return this.providers.search(body);
  }

  @Post(':id/sign-in')
  @Public()
  @HttpCode(200)
  begin(@Id() id: string, @CurrentVisit() visit: Visit): Promise<SignInUrl> {
    return this.providers.begin(id, visit);
  }

  @Post(':id/session')
  @Public()
  @HttpCode(200)
  complete(
    @Id() id: string,
    @SmallJsonBody(ProviderResponseDto) body: ProviderResponseDto,
    @CurrentVisit() visit: Visit,
  ): Promise<SessionView> {
    return this.providers.complete(id, body, visit);
  }

  @Post(':id/logout')
  @Public()
  @HttpCode(200)
  logOut(@Id() id: string, @FormBody() form: URLSearchParams): Promise<JsonResponse> {
    return this.providers.logOut(id, form);
  }
}
