import {
  createParamDecorator,
  type ExecutionContext,
  Get,
  HttpCode,
  Options,
  Post,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import type { JsonResponse } from '../../common/envelope/json-response';
import { CurrentResponse, Public, RequestOrigin } from '../../platform/http/access';
import { clientAddress } from '../../platform/http/client-address';
import { FormBody } from '../../platform/http/form-body';
import { SmallUnvalidatedBody } from '../../platform/http/json-body';
import { requestOf } from '../../platform/load/exchange';
import { ApiController } from '../../platform/routes/api-controller';
import { OauthService } from './oauth.service';

const ClientAddress = createParamDecorator((_: unknown, context: ExecutionContext): string =>
  clientAddress(requestOf(context)),
);

/** Authorization server for applications (OAuth 2.1). The user decides on a page of the console. */
@ApiExcludeController()
@ApiController('')
export class OauthController {
  constructor(private readonly oauth: OauthService) {}

  @Get(['.well-known/oauth-protected-resource', '.well-known/oauth-protected-resource/mcp'])
  @Public()
  mcpMetadata(@RequestOrigin() origin: string): JsonResponse {
    return this.oauth.resourceMetadata('mcp', origin);
  }

  @Get('.well-known/oauth-protected-resource/api/v1/public')
  @Public()
  apiMetadata(@RequestOrigin() origin: string): JsonResponse {
    return this.oauth.resourceMetadata('api', origin);
  }

  @Get('.well-known/oauth-authorization-server')
  @Public()
  serverMetadata(@RequestOrigin() origin: string): JsonResponse {
    return this.oauth.serverMetadata(origin);
  }

  /** Applications in a browser ask before they send JSON, or the version of their protocol. */
  @Options([
    '.well-known/oauth-protected-resource',
    '.well-known/oauth-protected-resource/mcp',
    '.well-known/oauth-protected-resource/api/v1/public',
    '.well-known/oauth-authorization-server',
    'oauth/register',
    'oauth/token',
    'oauth/revoke',
  ])
  @Public()
  preflight(): JsonResponse {
    return this.oauth.preflight();
  }

  @Post('oauth/register')
  @Public()
  register(
    @SmallUnvalidatedBody() body: unknown,
    @ClientAddress() address: string,
    @CurrentResponse() response: Response,
  ): Promise<JsonResponse> {
    return this.oauth.register(body, address, response);
  }

  @Post('oauth/token')
  @Public()
  @HttpCode(200)
  token(@FormBody() form: URLSearchParams): Promise<JsonResponse> {
    return this.oauth.token(form);
  }

  @Post('oauth/revoke')
  @Public()
  @HttpCode(200)
  revoke(@FormBody() form: URLSearchParams): Promise<JsonResponse> {
    return this.oauth.revoke(form);
  }
}
