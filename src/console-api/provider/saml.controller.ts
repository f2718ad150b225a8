import { Get, HttpCode, Patch, Post } from '@nestjs/common';
import type { Caller } from '../../common/caller/app-request';
import type { JsonResponse } from '../../common/envelope/json-response';
import { CurrentCaller, Public, RequireSession } from '../../platform/http/access';
import { FormBody } from '../../platform/http/form-body';
import { JsonBody } from '../../platform/http/json-body';
import { EnterGateInService } from '../../platform/routes/api-controller';
import { ConsoleController, Id } from '../path-parameters';
import { CurrentVisit, type Visit } from '../visit';
import type { OwnProviderView } from './console-provider.service';
import { ConsoleSamlService, type SamlMetadata } from './console-saml.service';
import { CreateSamlProviderDto, SamlMetadataDto, UpdateSamlProviderDto } from './saml.dto';

/** Maximum size of a form: a response of 256 KiB in base64, with other fields. */
const MAX_FORM_BYTES = 512 * 1024;

/** SAML providers of the account, and the way back from them. */
@ConsoleController('providers')
export class SamlController {
  constructor(private readonly providers: ConsoleSamlService) {}

  @Post('saml')
  @RequireSession('users:write')
  create(
    @CurrentCaller() caller: Caller,
    @JsonBody(CreateSamlProviderDto) body: CreateSamlProviderDto,
    @CurrentVisit() visit: Visit,
  ): Promise<OwnProviderView> {
    return this.providers.create(caller, body, visit);
  }

  @Post('saml/metadata')
  @RequireSession('users:write')
  @EnterGateInService()
  @HttpCode(200)
  readMetadata(
    @CurrentCaller() caller: Caller,
    @JsonBody(SamlMetadataDto) body: SamlMetadataDto,
  ): Promise<SamlMetadata> {
    return this.providers.readMetadata(caller, body);
  }

  @Patch(':id/saml')
  @RequireSession('users:write')
  update(
    @CurrentCaller() caller: Caller,
    @Id() id: string,
    @JsonBody(UpdateSamlProviderDto) body: UpdateSamlProviderDto,
    @CurrentVisit() visit: Visit,
  ): Promise<OwnProviderView> {
    return this.providers.update(caller, id, body, visit);
  }

  @Get(':id/metadata')
  @Public()
  metadata(@Id() id: string, @CurrentVisit() visit: Visit): Promise<JsonResponse> {
    return this.providers.metadata(id, visit);
  }

  @Post(':id/saml')
  @Public()
  receive(
    @Id() id: string,
    @FormBody(MAX_FORM_BYTES) form: URLSearchParams,
    @CurrentVisit() visit: Visit,
  ): Promise<JsonResponse> {
    return this.providers.receive(id, form, visit);
  }
}
