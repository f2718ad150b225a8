import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import {
  // oxlint-disable-next-line typescript/no-deprecated -- only for addresses that the operator allows
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  customFetch,
  type CustomFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
} from 'openid-client';
import { Agent, request } from 'undici';
import { AppConfig } from '../../platform/config/app-config';
import { Logger } from '../../platform/logging/logger';
import { AddressPolicy } from '../../platform/outbound/address-policy';
import { checkedConnector, ResponseTooLargeError } from '../../platform/outbound/checked-connector';
import { hostResolver } from '../../platform/outbound/host-resolver';

/** Time for each request to a provider. */
const TIMEOUT_SECONDS = 5;
/** Time after which the metadata of a provider are read again, and after a failure. */
const [LIFETIME_MS, FAILURE_LIFETIME_MS] = [10 * 60_000, 10_000];
/** Providers whose metadata are kept. */
const MAX_KEPT = 100;
const MAX_RESPONSE_BYTES = 64 * 1024;
/** As OpenID Connect allows. */
const MAX_SUBJECT_LENGTH = 255;
const SCOPE = 'openid email profile';

/** A provider as a client of it sees it. */
export interface OpenidClientSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Values that bind the response of a provider to the request. */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  /** Code verifier of PKCE. */
  readonly verifier: string;
}

/** What a provider says of a person. */
export interface Person {
  readonly subject: string;
  readonly email: string | null;
  /** `null` if the provider does not say. */
  readonly isEmailVerified: boolean | null;
}

/** A provider that is away, or did not accept or send what it should. The message is public. */
export class ProviderError extends Error {}

export const providerError = (message: string, cause?: unknown): ProviderError =>
  new ProviderError(message, { cause });

interface Known {
  readonly config: Promise<Configuration>;
  untilMs: number;
}

/** Sends users to OpenID providers, and reads who came back. Requests go to checked addresses only. */
@Injectable()
export class OpenidClient implements BeforeApplicationShutdown {
  private readonly agent: Agent;
  private readonly known = new Map<string, Known>();

  constructor(
    { connectionAllowedPrivateRanges }: AppConfig,
    private readonly logger: Logger,
  ) {
    const policy = new AddressPolicy(
      connectionAllowedPrivateRanges,
      'CONNECTION_ALLOWED_PRIVATE_RANGES',
    );
    const timeoutMs = TIMEOUT_SECONDS * 1_000;
    this.agent = new Agent({
      connect: checkedConnector(policy, { timeoutMs, resolve: hostResolver() }),
      connections: 8,
    });
  }

  /** Returns the URL of the provider's page. @throws ProviderError */
  async urlFor(
    settings: OpenidClientSettings,
    redirectUri: string,
    { state, nonce, verifier }: SignInSecrets,
  ): Promise<string> {
    const config = await this.configurationOf(settings);
    return this.explaining(settings, async () => {
      const url = buildAuthorizationUrl(config, {
        ...{ redirect_uri: redirectUri, scope: SCOPE, state, nonce },
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return url.href;
    });
  }

  /**
   * Returns who the provider says has signed in.
   * @param response URL of the redirect, with the parameters that the provider added.
   * @throws ProviderError
   */
  async personOf(
    settings: OpenidClientSettings,
    response: URL,
    { state, nonce, verifier }: SignInSecrets,
  ): Promise<Person> {
    const config = await this.configurationOf(settings);
    return this.explaining(settings, async () => {
      const tokens = await authorizationCodeGrant(config, response, {
        ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier },
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims) throw providerError('The provider sent no ID token. Ask its administrator.');
      const { sub: subject } = claims;
      if (subject.length > MAX_SUBJECT_LENGTH || subject.includes('\0'))
        throw providerError(
          'The provider sent an identifier that is too long. Ask its administrator.',
        );
      const { userinfo_endpoint: more } = config.serverMetadata();
      const isComplete = typeof claims['email'] === 'string' || more === undefined;
      const { email, email_verified: isVerified } = isComplete
        ? claims
        : await fetchUserInfo(config, tokens.access_token, subject);
      return {
        subject,
        email: typeof email === 'string' && !email.includes('\0') ? email : null,
        isEmailVerified: isVerified === undefined ? null : isTrue(isVerified),
      };
    });
  }

  /** Reads the metadata of a provider, to check its settings. @throws ProviderError */
  async check(settings: OpenidClientSettings): Promise<void> {
    this.known.delete(keyOf(settings));
    await this.configurationOf(settings);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }

  /** Sign-ins at the same time share one read of the metadata, also one that fails. */
  private configurationOf(settings: OpenidClientSettings): Promise<Configuration> {
    const key = keyOf(settings);
    const known = this.known.get(key);
    if (known && known.untilMs > Date.now()) return known.config;
    const config = this.explaining(settings, () => this.discover(settings));
    const entry: Known = { config, untilMs: Date.now() + FAILURE_LIFETIME_MS };
    config.then(
      () => {
        entry.untilMs = Date.now() + LIFETIME_MS;
      },
      () => undefined,
    );
    this.known.delete(key);
    this.known.set(key, entry);
    const [oldest] = this.known.keys();
    if (this.known.size > MAX_KEPT && oldest !== undefined) this.known.delete(oldest);
    return config;
  }

  private async discover(settings: OpenidClientSettings): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = settings;
    const isPlain = issuer.startsWith('http:');
    const config = await discovery(
      new URL(issuer),
      clientId,
      undefined,
      authenticationOf(clientSecret),
      {
        timeout: TIMEOUT_SECONDS,
        [customFetch]: this.fetch,
        // The connector allows plain HTTP only to addresses that the operator allows.
        // oxlint-disable-next-line typescript/no-deprecated -- as above
        execute: [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])],
      },
    );
    const metadata = config.serverMetadata();
    // The library tolerates other issuers of some providers.
    if (!isSameUrl(metadata.issuer, issuer))
      throw providerError(
        'The provider has another issuer than the one entered. Enter the issuer of its metadata.',
      );
    const { authorization_endpoint: page, token_endpoint: tokens, jwks_uri: keys } = metadata;
    if (page === undefined || tokens === undefined || keys === undefined)
      throw providerError(
        'The provider does not have the endpoints of a sign-in with a code. Enter another one.',
      );
    return config;
  }

  /** Follows no redirects, and decompresses nothing, so that the bytes on the way are the bytes in memory. */
  private readonly fetch: CustomFetch = async (url, { method, headers, body, signal }) => {
    const received = await request(url, {
      method,
      dispatcher: this.agent,
      headers: { ...headers, 'accept-encoding': 'identity' },
      ...(body instanceof URLSearchParams && { body: body.toString() }),
      ...(signal && { signal }),
      ...{ headersTimeout: 0, bodyTimeout: 0 },
    });
    const { statusCode: status } = received;
    const text = await readText(received.body);
    const type = received.headers['content-type'];
    return new Response([204, 205, 304].includes(status) ? null : text, {
      status,
      headers: { 'content-type': typeof type === 'string' ? type : '' },
    });
  };

  private async explaining<T>(
    { issuer }: OpenidClientSettings,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ProviderError) throw error;
      this.logger.pino.warn({ err: error, issuer }, 'identity provider failed');
      throw providerError(reasonOf(error), error);
    }
  }
}

const keyOf = ({ issuer, clientId, clientSecret }: OpenidClientSettings): string =>
  JSON.stringify([issuer, clientId, clientSecret]);

/** Some providers send a text. */
const isTrue = (value: unknown): boolean => value === true || value === 'true';

const isSameUrl = (a: string, b: string): boolean =>
  URL.canParse(a) && new URL(a).href === new URL(b).href;

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new ResponseTooLargeError();
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Sends the secret in the header or the body, as the provider's metadata say. */
const authenticationOf =
  (secret: string): ReturnType<typeof ClientSecretBasic> =>
  (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticate = methods.includes('client_secret_basic')
      ? ClientSecretBasic(secret)
      : ClientSecretPost(secret);
    authenticate(server, client, body, headers);
  };

/** Describes a failure for an owner, without addresses or what the provider sent. */
function reasonOf(error: unknown): string {
  const { code = '', error: oauth } = error as { code?: string; error?: unknown };
  if (oauth === 'access_denied')
    return 'The provider did not let you sign in. Ask its administrator.';
  if (oauth === 'invalid_client')
    return 'The provider does not accept the client ID or secret. Ask an owner to correct them.';
  if (typeof oauth === 'string') return 'The provider rejected the sign-in. Sign in again.';
  if (code === 'OAUTH_TIMEOUT') return 'The provider did not respond in time. Retry later.';
  if (code.startsWith('OAUTH_'))
    return 'The provider sent an invalid response. Ask its administrator.';
  return 'The provider cannot be reached. Retry later.';
}
