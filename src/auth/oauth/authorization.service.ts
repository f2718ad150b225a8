import { Injectable } from '@nestjs/common';
import type { Audience, Caller } from '../../common/caller/app-request';
import { conflict, fieldError, invalidRequest } from '../../common/error/app-error';
import type { Scope } from '../../common/permission/scope';
import { AppConfig } from '../../platform/config/app-config';
import { linkBase } from '../link-base';
import { type AuthorizationRequest, readAuthorizationRequest } from './authorization-request';
import { type OauthClient, OauthClientService } from './client.service';
import { type GrantChoice, OauthGrantService } from './grant.service';
import { OauthError, readParameters } from './oauth-error';
import {
  isRedirectUri,
  isRegistered,
  type RedirectTarget,
  targetOf,
  withParameters,
} from './redirect-uri';

/** An authorization request, for the page where the user decides. */
export interface AuthorizationView extends RedirectTarget {
  readonly application: {
    readonly name: string;
    readonly clientId: string;
    /** Host of the metadata document. `null` for a registered application, which may be any. */
    readonly documentHost: string | null;
  };
  /** Why the request cannot be allowed; `null` if it can. */
  readonly problem: string | null;
  readonly audience: Audience | null;
  /** Scopes that the application asks for, with those that these include. */
  readonly scopes: readonly Scope[];
  /** Leads back to the application without access. */
  readonly denyUrl: string;
}

/** A request whose application and redirect URI are known, so that it may get a response. */
export interface ReadRequest {
  readonly client: OauthClient;
  readonly redirectUri: string;
  readonly request: AuthorizationRequest | OauthError;
  /** Returns the URL of a response. */
  readonly respond: (parameters: Readonly<Record<string, string>>) => string;
}

/** Requests of applications, which a signed-in user allows or denies. Nothing is stored before. */
@Injectable()
export class OauthAuthorizationService {
  constructor(
    private readonly config: AppConfig,
    private readonly clients: OauthClientService,
    private readonly grants: OauthGrantService,
  ) {}

  /** Describes a request. @throws AppError as `read` */
  async describe(caller: Caller, query: string, origin: string): Promise<AuthorizationView> {
    const { client, redirectUri, request, respond } = await this.read(caller, query, origin);
    const { name, clientId, documentHost } = client;
    const isWrong = request instanceof OauthError;
    const code = isWrong ? request.code : 'access_denied';
    return {
      application: { name, clientId, documentHost },
      ...targetOf(redirectUri),
      problem: isWrong ? request.message : null,
      audience: isWrong ? null : request.audience,
      scopes: isWrong ? [] : request.scopes,
      denyUrl: respond({ error: code, ...(isWrong && { error_description: request.message }) }),
    };
  }

  /**
   * Authorizes the application of a request.
   * @returns the URL that leads back to the application.
   * @throws AppError `invalid_request` if the user does not have the access themselves, or chooses what the
   *   application did not ask for; `conflict` if the request is wrong; `quota_exceeded`.
   */
  async authorize(
    caller: Caller,
    { client, redirectUri, request, respond }: ReadRequest,
    choice: GrantChoice,
  ): Promise<string> {
    if (request instanceof OauthError) throw conflict(request.message);
    const { scopes: asked, codeChallenge, audience, resource } = request;
    const errors = choice.scopes
      .filter((scope) => !asked.includes(scope))
      .map((scope) =>
        fieldError('scopes', 'not_a_choice', `the application did not ask for ${scope}`),
      );
    if (errors.length > 0) throw invalidRequest(errors);
    const binding = { redirectUri, resource, audience, codeChallenge };
    return respond({ code: await this.grants.create(caller, client, choice, binding) });
  }

  /**
   * Reads a request. Reading the metadata of the application can take long.
   * @param query Query of the URL to which the application sent the browser.
   * @param origin Origin at which the browser reached the service.
   * @throws AppError `conflict` if nothing may be sent back, because the application or its redirect URI is
   *   unknown; `rate_limited` or `unavailable`.
   */
  async read({ accountId }: Caller, query: string, origin: string): Promise<ReadRequest> {
    const base = linkBase(this.config, origin);
    const sent = readQuery(query);
    const { client_id: clientId = '', redirect_uri: redirectUri = '', state } = sent;
    const request = this.readRequest(sent, base);
    // A metadata document is fetched only for what could be a valid request.
    if (request instanceof OauthError && this.clients.isPublished(clientId))
      throw conflict(request.message);
    const client = isRedirectUri(redirectUri) ? await this.clients.get(clientId, accountId) : null;
    if (!client || !isRegistered(redirectUri, client.redirectUris))
      throw conflict('The redirect URI is not one of the application. Nothing was sent to it.');
    return {
      client,
      redirectUri,
      request,
      respond: (parameters) =>
        withParameters(redirectUri, {
          ...parameters,
          ...(state !== undefined && { state }),
          iss: base,
        }),
    };
  }

  private readRequest(
    sent: Partial<Record<string, string>>,
    base: string,
  ): AuthorizationRequest | OauthError {
    try {
      return readAuthorizationRequest(sent, base, this.config.mcp);
    } catch (error) {
      if (error instanceof OauthError) return error;
      throw error;
    }
  }
}

/** A query that cannot be read gets no response: its redirect URI may not be what it seems. */
function readQuery(query: string): Partial<Record<string, string>> {
  try {
    return readParameters(new URLSearchParams(query));
  } catch (error) {
    if (error instanceof OauthError) throw conflict(error.message);
    throw error;
  }
}
