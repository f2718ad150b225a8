import { randomBytes, createHash } from 'node:crypto';
import { ApiClient, type Json } from './api-client';
import type { ConsoleClient } from './console-client';
import { dataOf } from './fixture';

export const REDIRECT_URI = 'https://app.example.com/callback';

/** Response to an application, in the form of OAuth. */
export interface OauthResponse {
  readonly status: number;
  readonly body: Json;
}

/** Tokens of an application. */
export interface Tokens {
  readonly access: string;
  readonly refresh: string;
}

/** Sends a form to the service, as an application does. */
export async function sendForm(
  origin: string,
  path: string,
  form: Readonly<Record<string, string | undefined>> | string,
): Promise<OauthResponse> {
  const sent = typeof form === 'string' ? form : new URLSearchParams(defined(form)).toString();
  const response = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: sent,
  });
  return { status: response.status, body: (await response.json()) as Json };
}

export async function register(origin: string, metadata: unknown): Promise<OauthResponse> {
  const response = await fetch(`${origin}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });
  return { status: response.status, body: (await response.json()) as Json };
}

/** An application that has registered itself, and follows the protocol step by step. */
export class OauthApplication {
  readonly verifier = randomBytes(32).toString('base64url');

  constructor(
    readonly origin: string,
    readonly clientId: string,
    readonly redirectUri = REDIRECT_URI,
  ) {}

  static async registered(
    origin: string,
    redirectUri = REDIRECT_URI,
    name = 'Assistant',
  ): Promise<OauthApplication> {
    const metadata = { client_name: name, redirect_uris: [redirectUri] };
    const { status, body } = await register(origin, metadata);
    expect({ status, body }).toEqual({ status: 201, body });
    return new OauthApplication(origin, String(body.client_id), redirectUri);
  }

  get resource(): string {
    return `${this.origin}/mcp`;
  }

  /** Returns the query with which the application sends the browser to the service. */
  query(change: Readonly<Record<string, string | undefined>> = {}): string {
    const usual = {
      ...{ response_type: 'code', client_id: this.clientId, redirect_uri: this.redirectUri },
      ...{ resource: this.resource, scope: 'workspaces:read rows:write', state: 'a state' },
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    return new URLSearchParams(defined({ ...usual, ...change })).toString();
  }

  /** Lets a user allow the request. @returns the URL that leads back. */
  async allowed(
    console: ConsoleClient,
    choice: object = {},
    change: Readonly<Record<string, string | undefined>> = {},
  ): Promise<URL> {
    const usual = { scopes: ['rows:write'], lifetimeDays: 30 };
    const body = { query: this.query(change), ...usual, ...choice };
    return new URL(String(dataOf(await console.post('/applications', body), 201)['url']));
  }

  /** Lets a user allow the request. @returns the authorization code. */
  async code(console: ConsoleClient, choice: object = {}): Promise<string> {
    return (await this.allowed(console, choice)).searchParams.get('code') ?? '';
  }

  exchange(
    code: string,
    change: Readonly<Record<string, string | undefined>> = {},
  ): Promise<OauthResponse> {
    return sendForm(this.origin, '/oauth/token', {
      ...{ grant_type: 'authorization_code', client_id: this.clientId, code },
      ...{ redirect_uri: this.redirectUri, code_verifier: this.verifier },
      resource: this.resource,
      ...change,
    });
  }

  refresh(
    token: string,
    change: Readonly<Record<string, string | undefined>> = {},
  ): Promise<OauthResponse> {
    return sendForm(this.origin, '/oauth/token', {
      ...{ grant_type: 'refresh_token', client_id: this.clientId, refresh_token: token },
      ...change,
    });
  }

  /** Gets tokens for a user. */
  async tokens(
    console: ConsoleClient,
    choice: object = {},
    change: Readonly<Record<string, string | undefined>> = {},
  ): Promise<Tokens> {
    const url = await this.allowed(console, choice, change);
    const { resource } = change;
    return tokensOf(
      await this.exchange(
        url.searchParams.get('code') ?? '',
        resource === undefined ? {} : { resource },
      ),
    );
  }

  /** Returns a client of the API with an access token. */
  api(token: string): ApiClient {
    return new ApiClient(this.origin, token);
  }
}

/** Returns the tokens in a response that must have some. */
export function tokensOf({ status, body }: OauthResponse): Tokens {
  expect({ status, body }).toEqual({ status: 200, body });
  return { access: String(body.access_token), refresh: String(body.refresh_token) };
}

function defined(form: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(form)) if (value !== undefined) found[name] = value;
  return found;
}
