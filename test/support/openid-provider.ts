import {
  createHash,
  createSign,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ApiClient, type ApiResponse, type Json } from './api-client';
import { CONSOLE, ConsoleClient } from './console-client';
import { dataOf } from './fixture';

/** A person who signs in at the provider. */
export interface Person {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: unknown;
  /** Session at the provider. */
  readonly sid?: string;
  readonly groups?: unknown;
}

export const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** What the provider does wrong. Each function changes what it would send. */
export interface Hostility {
  readonly metadata?: (metadata: Json) => Json;
  readonly key?: (key: Json) => Json;
  readonly claims?: (claims: Json) => Json;
  /** Changes the signed ID token. */
  readonly token?: (token: string) => string;
  /** Called before the metadata are sent, which waits for it. */
  readonly beforeMetadata?: () => Promise<void>;
  /** Handles a request to the endpoint of tokens. */
  readonly atToken?: (response: ServerResponse) => void;
}

const base64url = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

/** A small OpenID provider that signs in whom a test says, and can be made hostile. */
export class OpenidProvider {
  readonly clientId = 'datagrid';
  readonly clientSecret = randomBytes(16).toString('hex');
  hostility: Hostility = {};
  /** Requests for the metadata. */
  metadataRequests = 0;
  /** Bodies of the requests for tokens. */
  readonly tokenRequests: URLSearchParams[] = [];
  private readonly keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  /** Requests of clients by the codes that were given for them. */
  private readonly codes = new Map<string, { readonly query: URLSearchParams; person: Person }>();
  private readonly server = createServer((request, response) => {
    this.handle(request, response).catch(() => response.destroy());
  });

  private constructor() {
    // Started by `start`.
  }

  static async start(): Promise<OpenidProvider> {
    const provider = new OpenidProvider();
    await new Promise<void>((resolve) => provider.server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  get settings(): Json {
    return { issuer: this.issuer, clientId: this.clientId, clientSecret: this.clientSecret };
  }

  /** Signs a person in at the page with this URL. @returns the query with which the browser comes back. */
  signIn(url: string, person: Person): URLSearchParams {
    const { searchParams: query } = new URL(url);
    const code = randomBytes(16).toString('hex');
    this.codes.set(code, { query, person });
    return new URLSearchParams({ code, state: query.get('state') ?? '', iss: this.issuer });
  }

  /** Returns a logout token that is valid for five minutes, with other claims. */
  logoutToken(more: Json, header: Json = {}, key: KeyObject = this.keys.privateKey): string {
    const now = Math.floor(Date.now() / 1_000);
    const usual = {
      ...{ iss: this.issuer, aud: this.clientId, iat: now, exp: now + 120 },
      ...{ jti: randomBytes(16).toString('hex'), events: { [LOGOUT_EVENT]: {} } },
    };
    return signed(
      { alg: 'RS256', kid: '1', typ: 'logout+jwt', ...header },
      { ...usual, ...more },
      key,
    );
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '', this.issuer);
    if (pathname === '/.well-known/openid-configuration') {
      this.metadataRequests += 1;
      await this.hostility.beforeMetadata?.();
      send(response, this.metadata());
    } else if (pathname === '/keys') send(response, { keys: [this.publicKey()] });
    else if (pathname === '/token') await this.sendTokens(request, response);
    else send(response, {}, 404);
  }

  private metadata(): Json {
    const { issuer } = this;
    const metadata = {
      issuer,
      ...{ authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` },
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      authorization_response_iss_parameter_supported: true,
    };
    return this.hostility.metadata?.(metadata) ?? metadata;
  }

  private publicKey(): Json {
    const exported = this.keys.publicKey.export({ format: 'jwk' });
    const key = { ...exported, alg: 'RS256', use: 'sig', kid: '1' };
    return this.hostility.key?.(key) ?? key;
  }

  private async sendTokens(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = new URLSearchParams(await text(request));
    this.tokenRequests.push(body);
    if (this.hostility.atToken) {
      this.hostility.atToken(response);
      return;
    }
    const credentials = Buffer.from(`${this.clientId}:${this.clientSecret}`).toString('base64');
    if (request.headers.authorization !== `Basic ${credentials}`) {
      send(response, { error: 'invalid_client' }, 401);
      return;
    }
    const code = body.get('code') ?? '';
    const begun = this.codes.get(code);
    this.codes.delete(code);
    if (!begun || !this.isVerifierOf(begun.query, body.get('code_verifier') ?? '')) {
      send(response, { error: 'invalid_grant' }, 400);
      return;
    }
    const idToken = this.idToken(begun.query, begun.person);
    send(response, { access_token: code, token_type: 'Bearer', expires_in: 60, id_token: idToken });
  }

  private isVerifierOf(query: URLSearchParams, verifier: string): boolean {
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    return query.get('code_challenge') === challenge;
  }

  private idToken(query: URLSearchParams, person: Person): string {
    const now = Math.floor(Date.now() / 1_000);
    const usual = {
      ...{ iss: this.issuer, aud: this.clientId, iat: now, exp: now + 60 },
      ...{ nonce: query.get('nonce'), ...person },
    };
    const claims = this.hostility.claims?.(usual) ?? usual;
    const token = signed({ alg: 'RS256', kid: '1' }, claims, this.keys.privateKey);
    return this.hostility.token?.(token) ?? token;
  }
}

function signed(header: Json, claims: Json, key: KeyObject): string {
  const text = `${base64url(header)}.${base64url(claims)}`;
  return `${text}.${createSign('sha256').update(text).sign(key, 'base64url')}`;
}

function send(response: ServerResponse, body: Json, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** A browser on its way to the page of a provider. */
export interface Traveler {
  readonly url: string;
  readonly browser: ApiClient;
}

/** Begins a sign-in in a new browser. */
export async function beginAt(origin: string, id: string): Promise<Traveler> {
  const response = await new ConsoleClient(origin).post(`/providers/${id}/sign-in`);
  const [cookie = ''] = (response.headers.getSetCookie()[0] ?? '').split(';');
  const browser = new ApiClient(origin, undefined, CONSOLE, { cookie });
  return { url: String(dataOf(response, 200)['url']), browser };
}

/** Comes back from a provider with the query of its redirect. */
export const arriveFrom = (
  id: string,
  browser: ApiClient,
  query: URLSearchParams,
): Promise<ApiResponse> => browser.post(`/providers/${id}/session`, { query: query.toString() });

/** Signs a person in at the service with this origin. */
export async function signInBy(
  provider: OpenidProvider,
  origin: string,
  id: string,
  person: Person,
): Promise<ApiResponse> {
  const { url, browser } = await beginAt(origin, id);
  return arriveFrom(id, browser, provider.signIn(url, person));
}
