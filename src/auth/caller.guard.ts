import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import type { AppRequest, Caller } from '../common/caller/app-request';
import { AppError } from '../common/error/app-error';
import { AppConfig } from '../platform/config/app-config';
import { accessOf, isForSessions, addressLimitOf, servesMcp } from '../platform/http/access';
import { clientAddress } from '../platform/http/client-address';
import { timesSent } from '../platform/http/query';
import type { CountedResponse } from '../platform/load/load';
import { AddressFailures, addressGroup } from '../platform/throttling/address-rate-limit';
import { PublicRateLimits } from '../platform/throttling/public-rate-limits';
import { ApiKeyService } from './api-key/api-key.service';
import { readBearerToken, sentKeyHash } from './api-key/api-key-token';
import { bearerChallenge } from './oauth/oauth-metadata';
import { ScimTokenService } from './scim-token/scim-token.service';
import {
  changesSomething,
  readSessionToken,
  requireCsrfToken,
  requireSameOrigin,
} from './session/session-cookie';
import { SessionService } from './session/session.service';
import { requestOf, responseOf } from '../platform/load/exchange';

/**
 * Authenticates the caller of every route that is not public. Console routes, and requests that the
 * console sends to other routes, need a session. All other requests need an API key. Neither
 * credential is accepted in place of the other, and only routes of SCIM accept the token of a directory.
 */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(
    private readonly config: AppConfig,
    private readonly apiKeys: ApiKeyService,
    private readonly sessions: SessionService,
    private readonly scimTokens: ScimTokenService,
    private readonly failures: AddressFailures,
    private readonly publicLimits: PublicRateLimits,
  ) {}

  /** Returns synchronously for a cached key: a promise would delay every request by some microtasks. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const handler = context.getHandler();
    const request = requestOf(context);
    const response = responseOf(context);
    if (accessOf(handler) === 'public') {
      return this.countAnonymousRequest(handler, request, response);
    }
    if (accessOf(handler) === 'scim') return this.authenticateDirectory(request, response);
    if (request.isFromConsole === true || isForSessions(handler)) {
      return this.signIn(request, response);
    }
    const hash = sentKeyHash(request);
    const cached = hash === null ? null : this.apiKeys.findCached(hash);
    if (!cached || !isTokenFor(cached, request, handler))
      return this.authenticateKey(hash, request, response, handler);
    request.caller = cached;
    return true;
  }

  /** Counts a request to a public route by its client address. */
  private async countAnonymousRequest(
    handler: object,
    request: AppRequest,
    response: Response & CountedResponse,
  ): Promise<boolean> {
    const limit = addressLimitOf(handler);
    if (limit === 'none') return true;
    const address = clientAddress(request);
    await this.publicLimits[limit].count(address, response);
    if (limit === 'requests') response.countAnonymous(addressGroup(address));
    return true;
  }

  /** @param hash Hash of the key that was sent; `null` if there is none or it is malformed. */
  private async authenticateKey(
    hash: string | null,
    request: AppRequest,
    response: Response & CountedResponse,
    handler: object,
  ): Promise<boolean> {
    const caller = hash === null ? null : await lookUp(response, this.apiKeys.authenticate(hash));
    if (caller && isTokenFor(caller, request, handler)) {
      request.caller = caller;
      return true;
    }
    await this.failures.count(clientAddress(request), response);
    const origin = `${request.protocol}://${request.host}`;
    const wasSent = request.headers.authorization !== undefined;
    const challenge = servesMcp(handler) ? bearerChallenge(this.config, origin, wasSent) : 'Bearer';
    throw unauthenticated('A valid API key is required: Authorization: Bearer mk_…', challenge);
  }

  /** Admits the directory of a company with its SCIM token, which only routes of SCIM accept. */
  private async authenticateDirectory(
    request: AppRequest,
    response: Response & CountedResponse,
  ): Promise<boolean> {
    const isSentOnce = timesSent(request, 'authorization') === 1;
    const token = isSentOnce ? readBearerToken(request.headers.authorization) : null;
    const caller =
      token === null ? null : await lookUp(response, this.scimTokens.authenticate(token));
    if (caller) {
      request.caller = caller;
      return true;
    }
    await this.failures.count(clientAddress(request), response);
    throw unauthenticated('A valid SCIM token is required: Authorization: Bearer ms_…', 'Bearer');
  }

  private async signIn(
    request: AppRequest,
    response: Response & CountedResponse,
  ): Promise<boolean> {
    const token = readSessionToken(request);
    // A first visit has no cookie. This is not a failed authentication.
    if (token === null) {
      await this.publicLimits.requests.count(clientAddress(request), response);
      throw signedOut();
    }
    const caller = await lookUp(response, this.sessions.authenticate(token));
    if (!caller) {
      await this.failures.count(clientAddress(request), response);
      throw signedOut();
    }
    if (changesSomething(request)) {
      requireSameOrigin(request, this.config.publicUrl);
      requireCsrfToken(request, token);
    }
    request.caller = caller;
    return true;
  }
}

/**
 * Returns whether a caller may use a route with this credential. The token of an application is for the MCP
 * server, which uses it for requests of its own, or for the API.
 */
function isTokenFor({ audience }: Caller, { isInternal }: AppRequest, handler: object): boolean {
  if (audience === undefined || audience === null) return true;
  return (isInternal === true || servesMcp(handler)) === (audience === 'mcp');
}

/**
 * Waits for the lookup of a caller. The request is not counted as in progress meanwhile: no share
 * limits it while its account is unknown, so that a burst of them could take the room of others.
 */
async function lookUp<T>(response: CountedResponse, caller: Promise<T>): Promise<T> {
  response.stopCounting();
  const found = await caller;
  response.resumeCounting();
  return found;
}

function signedOut(): AppError {
  return unauthenticated('Sign in to the console first.', 'Cookie');
}

/**
 * Returns the same error for a missing, malformed, unknown, revoked or expired key, and likewise
 * for a session.
 */
function unauthenticated(message: string, scheme: string): AppError {
  return new AppError('unauthenticated', message, { headers: { 'WWW-Authenticate': scheme } });
}
