import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import type { AppRequest } from '../common/caller/app-request';
import { AppError } from '../common/error/app-error';
import { accessOf } from '../platform/http/access';
import { clientAddress } from '../platform/http/client-address';
import { timesSent } from '../platform/http/times-sent';
import { AddressFailures } from '../platform/throttling/address-failures';
import { ApiKeyService } from './api-key/api-key.service';
import { readBearerToken } from './api-key/bearer';

/** Lets in who sends a good key, on every route that is not public. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly apiKeys: ApiKeyService,
    private readonly failures: AddressFailures,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (accessOf(context.getHandler()) === 'public') return true;
    const http = context.switchToHttp();
    const request = http.getRequest<AppRequest>();
    const token = readBearerToken(onlyAuthorization(request));
    const caller = token === null ? null : await this.apiKeys.authenticate(token);
    if (caller === null) {
      await this.failures.count(clientAddress(request), http.getResponse<Response>());
      throw unauthenticated();
    }
    request.caller = caller;
    return true;
  }
}

/** The header where it was sent once. */
function onlyAuthorization(request: AppRequest): string | undefined {
  return timesSent(request, 'authorization') === 1 ? request.headers.authorization : undefined;
}

/** The same for a missing, malformed, unknown, revoked and expired key. */
function unauthenticated(): AppError {
  return new AppError(
    'unauthenticated',
    'A valid API key is required: Authorization: Bearer mk_…',
    {
      headers: { 'WWW-Authenticate': 'Bearer' },
    },
  );
}
