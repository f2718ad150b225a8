import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Audience } from '../../common/caller/app-request';
import { JsonResponse } from '../../common/envelope/json-response';
import { notFound } from '../../common/error/app-error';
import { AppConfig } from '../../platform/config/app-config';
import { AddressRateLimit } from '../../platform/throttling/address-rate-limit';
import { RateCounters } from '../../platform/throttling/rate-counters';
import { ThrottlingMetrics } from '../../platform/throttling/throttling-metrics';
import { linkBase } from '../link-base';
import { OauthClientService } from './client.service';
import { OauthError, readParameters } from './oauth-error';
import { resourceMetadata, serverMetadata } from './oauth-metadata';
import { OauthTokenService } from './token.service';

const REGISTRATION_WINDOW_SECONDS = 3_600;

/** Responses to applications, in the form of OAuth: without the envelope of the API. */
@Injectable()
export class OauthService {
  private readonly registrations: AddressRateLimit;

  constructor(
    private readonly config: AppConfig,
    private readonly clients: OauthClientService,
    private readonly tokens: OauthTokenService,
    counters: RateCounters,
    metrics: ThrottlingMetrics,
  ) {
    const { clientRegistrationLimit: limit } = config;
    this.registrations = new AddressRateLimit(
      counters.create('client-registration', limit, REGISTRATION_WINDOW_SECONDS),
      {
        name: 'client-registration',
        isShown: false,
        message: 'Too many applications were registered from this address. Retry later.',
      },
      metrics,
    );
  }

  /** @throws AppError `not_found` if the resource is not served; `conflict` without PUBLIC_URL. */
  resourceMetadata(audience: Audience, origin: string): JsonResponse {
    if (audience === 'mcp' && !this.config.mcp) throw notFound();
    return document(resourceMetadata(linkBase(this.config, origin), audience));
  }

  /** @throws AppError `conflict` without PUBLIC_URL. */
  serverMetadata(origin: string): JsonResponse {
    return document(serverMetadata(linkBase(this.config, origin)));
  }

  /** Returns what a page of another site may send. */
  preflight(): JsonResponse {
    const headers = {
      ...ANY_ORIGIN,
      'Access-Control-Allow-Methods': 'GET, POST',
      'Access-Control-Allow-Headers': 'content-type, mcp-protocol-version',
      'Access-Control-Max-Age': '600',
    };
    return JsonResponse.complete(204, headers, null);
  }

  /** @throws AppError `rate_limited` */
  async register(body: unknown, address: string, response: Response): Promise<JsonResponse> {
    await this.registrations.count(address, response);
    return responding(201, async () => {
      const { id, name, redirectUris, createdAt } = await this.clients.register(body);
      return {
        client_id: id,
        client_id_issued_at: Math.floor(createdAt.getTime() / 1_000),
        client_name: name,
        redirect_uris: redirectUris,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      };
    });
  }

  async token(form: URLSearchParams): Promise<JsonResponse> {
    return responding(200, () => this.tokens.issue(readParameters(form)));
  }

  async revoke(form: URLSearchParams): Promise<JsonResponse> {
    return responding(200, async () => {
      await this.tokens.revoke(readParameters(form));
      return {};
    });
  }
}

/**
 * Pages of all sites may read the responses, which are public or for whoever has a code or a token. Browsers send no
 * cookies with such requests.
 */
const ANY_ORIGIN = { 'Access-Control-Allow-Origin': '*' };

const document = (metadata: object): JsonResponse =>
  JsonResponse.bare(JSON.stringify(metadata), { 'Cache-Control': 'no-store', ...ANY_ORIGIN });

const HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  ...ANY_ORIGIN,
};

async function responding(status: number, work: () => Promise<object>): Promise<JsonResponse> {
  try {
    return JsonResponse.complete(status, HEADERS, JSON.stringify(await work()));
  } catch (error) {
    if (!(error instanceof OauthError)) throw error;
    const body = { error: error.code, error_description: error.message };
    return JsonResponse.complete(400, HEADERS, JSON.stringify(body));
  }
}
