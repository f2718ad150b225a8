import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  Post,
  Req,
  UseGuards,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import type { AppRequest } from '../common/caller/app-request';
import type { JsonResponse } from '../common/envelope/json-response';
import { AppError } from '../common/error/app-error';
import { isLoopbackHost } from '../common/text/id';
import { AppConfig } from '../platform/config/app-config';
import { CurrentResponse, RequirePermission, ServesMcp } from '../platform/http/access';
import { ApiController, EnterGateInService } from '../platform/routes/api-controller';
import { MessageBody } from '../platform/http/json-body';
import { McpService } from './mcp.service';
import { requestOf } from '../platform/load/exchange';

/**
 * Rejects requests of web pages, as the MCP specification demands against DNS rebinding. The service
 * grants no CORS, so only its own origin could send any: PUBLIC_URL or, if it is not set, a page of
 * this service on the local machine. `Host` proves nothing for other names: after rebinding, it is
 * that of the page.
 */
@Injectable()
class OriginGuard implements CanActivate {
  constructor(private readonly config: AppConfig) {}

  canActivate(context: ExecutionContext): boolean {
    const request = requestOf(context);
    const { origin } = request.headers;
    if (origin === undefined || origin === this.config.publicUrl) return true;
    if (this.config.publicUrl === undefined && isLocalOrigin(origin, request.host)) return true;
    throw new AppError('forbidden', 'Web pages may not call the MCP server.');
  }
}

function isLocalOrigin(origin: string, requestHost: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { host, hostname } = new URL(origin);
  return host === requestHost && isLoopbackHost(hostname);
}

/**
 * MCP server (Model Context Protocol, streamable HTTP, without sessions). Every message is a `POST`;
 * `GET` and `DELETE` return 405, because the server sends nothing on its own and keeps no session.
 */
@ApiExcludeController()
@ApiController('mcp')
@UseGuards(OriginGuard)
export class McpController {
  constructor(private readonly mcp: McpService) {}

  /** Any caller may send messages. The call of a tool is checked as a request to its route. */
  @Post()
  @RequirePermission('self:read')
  @ServesMcp()
  @EnterGateInService()
  receive(
    @Req() request: AppRequest,
    @CurrentResponse() response: Response,
    @MessageBody() message: unknown,
  ): Promise<JsonResponse> {
    return this.mcp.receive({ request, response }, message);
  }
}
