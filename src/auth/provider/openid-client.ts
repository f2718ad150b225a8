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
import { createRemoteJWKSet, customFetch as jwksFetch, type JWTVerifyGetKey } from 'jose';
import { Agent, request } from 'undici';
import { AppConfig } from '../../platform/config/app-config';
import type { Release } from '../../platform/fairness/account-semaphore';
import { Logger } from '../../platform/logging/logger';
import { AddressPolicy } from '../../platform/outbound/address-policy';
import { checkedConnector, ResponseTooLargeError } from '../../platform/outbound/checked-connector';
import { hostResolver } from '../../platform/outbound/host-resolver';
import { groupsOf } from './group-role';
import { isStorable } from './person-address';
import {
  isShortId,
  type Logout,
  LogoutTokenError,
  readLogoutToken,
  requireAddressee,
} from './logout-token';

/** Time for each request to a provider. */
const TIMEOUT_SECONDS = 5;
/** Time after which metadata are read again, and in which they, or a failure to read them, are recent. */
const [LIFETIME_MS, RECENT_MS] = [10 * 60_000, 10_000];
/** Providers whose metadata are kept. */
const MAX_KEPT = 100;
const MAX_RESPONSE_BYTES = 64 * 1024;
const SCOPE = 'openid email profile';

/** A provider as a client of it sees it. */
export interface OpenidClientSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Claim with the groups of a person; absent if they do not matter. */
  readonly groupsClaim?: string | undefined;
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
  /** `sid` of the session at the provider; `null` if it does not say. */
  readonly sessionId: string | null;
  /** When the session at the provider ends; `null` if it does not say. */
  readonly sessionEndsAt: Date | null;
  readonly groups: readonly string[];
}

/** A provider that is away, or did not accept or send what it should. The message is public. */
export class ProviderError extends Error {}

export const providerError = (message: string, cause?: unknown): ProviderError =>
  new ProviderError(message, { cause });

interface Known {
  last: { readonly config: Configuration; readonly readAtMs: number } | undefined;
  /** Failure of the last read, which is not repeated at once. */
  failure: { readonly error: Error; readonly untilMs: number } | undefined;
  reading: Promise<Configuration> | undefined;
  keys: { readonly url: string; readonly read: JWTVerifyGetKey } | undefined;
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

  /**
   * Returns the URL of the provider's page. Needs recent metadata: a browser that is sent to a provider which is
   * unavailable shows nothing but an error of its own.
   * @param admit Called before the metadata are read. Returns what is called after that.
   * @throws ProviderError
   */
  async urlFor(
    settings: OpenidClientSettings,
    redirectUri: string,
    { state, nonce, verifier }: SignInSecrets,
    admit: () => Release,
  ): Promise<string> {
    const config = await this.configurationOf(settings, RECENT_MS, admit);
    return this.explaining(settings, async () => {
      const url = buildAuthorizationUrl(config, {
        ...{ redirect_uri: redirectUri, scope: scopeOf(settings, config), state, nonce },
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
      if (!isShortId(subject))
        throw providerError(
          'The provider sent an identifier that is too long. Ask its administrator.',
        );
      const { groupsClaim } = settings;
      const { userinfo_endpoint: more } = config.serverMetadata();
      const hasEmail = typeof claims['email'] === 'string';
      const hasGroups = groupsClaim === undefined || groupsClaim in claims;
      const others =
        (hasEmail && hasGroups) || more === undefined
          ? {}
          : await fetchUserInfo(config, tokens.access_token, subject);
      // An address and whether it is verified come from the same place.
      const { email, email_verified: isVerified } = hasEmail ? claims : { ...claims, ...others };
      const groups = groupsClaim === undefined ? [] : { ...others, ...claims }[groupsClaim];
      return {
        subject,
        email: typeof email === 'string' && isStorable(email) ? email : null,
        isEmailVerified: isVerified === undefined ? null : isTrue(isVerified),
        sessionId: isShortId(claims['sid']) ? claims['sid'] : null,
        sessionEndsAt: null,
        groups: groupsOf(groups),
      };
    });
  }

  /** Returns who has signed out, as a logout token says. @throws ProviderError, LogoutTokenError */
  async logoutOf(settings: OpenidClientSettings, token: string): Promise<Logout> {
    const { clientId } = settings;
    const config = await this.configurationOf(settings);
    const { issuer } = config.serverMetadata();
    requireAddressee(token, issuer, clientId);
    return this.explaining(settings, () =>
      readLogoutToken(token, issuer, clientId, this.keysOf(settings, config)),
    );
  }

  /** Reads the metadata of a provider, to check its settings. @throws ProviderError */
  async check(settings: OpenidClientSettings): Promise<void> {
    this.known.delete(keyOf(settings));
    await this.configurationOf(settings);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }

  /**
   * Returns the metadata of a provider. Sign-ins at the same time share one read, also one that fails. What was read
   * before stays until it is too old, whatever later reads return.
   * @param maxAgeMs Age of metadata that will do.
   */
  private async configurationOf(
    settings: OpenidClientSettings,
    maxAgeMs = LIFETIME_MS,
    admit: () => Release = () => () => undefined,
  ): Promise<Configuration> {
    const known = this.knownOf(settings);
    const { last, failure } = known;
    if (last && Date.now() - last.readAtMs < maxAgeMs) return last.config;
    if (failure && Date.now() < failure.untilMs) throw failure.error;
    if (known.reading) return known.reading;
    const release = admit();
    known.reading = this.explaining(settings, () => this.discover(settings))
      .then(
        (config) => {
          known.last = { config, readAtMs: Date.now() };
          known.failure = undefined;
          return config;
        },
        (error: unknown) => {
          known.failure = { error: error as Error, untilMs: Date.now() + RECENT_MS };
          throw error;
        },
      )
      .finally(() => {
        known.reading = undefined;
        release();
      });
    return known.reading;
  }

  private knownOf(settings: OpenidClientSettings): Known {
    const key = keyOf(settings);
    const known = this.known.get(key) ?? {
      ...{ last: undefined, failure: undefined, reading: undefined, keys: undefined },
    };
    // The one used last goes to the end.
    this.known.delete(key);
    this.known.set(key, known);
    const [oldest] = this.known.keys();
    if (this.known.size > MAX_KEPT && oldest !== undefined) this.known.delete(oldest);
    return known;
  }

  /** Returns the keys of a provider, which are read when they are needed, and again for an unknown one. */
  private keysOf(settings: OpenidClientSettings, config: Configuration): JWTVerifyGetKey {
    const known = this.knownOf(settings);
    const { jwks_uri: url = '' } = config.serverMetadata();
    if (known.keys?.url !== url) {
      const read = createRemoteJWKSet(new URL(url), {
        timeoutDuration: TIMEOUT_SECONDS * 1_000,
        [jwksFetch]: (to, { signal }) =>
          this.fetch(to, {
            ...{ method: 'GET', headers: {}, body: null },
            redirect: 'manual',
            signal,
          }),
      });
      known.keys = { url, read };
    }
    return known.keys.read;
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
      if (error instanceof ProviderError || error instanceof LogoutTokenError) throw error;
      this.logger.pino.warn({ err: error, issuer }, 'identity provider failed');
      throw providerError(reasonOf(error), error);
    }
  }
}

const keyOf = ({ issuer, clientId, clientSecret }: OpenidClientSettings): string =>
  JSON.stringify([issuer, clientId, clientSecret]);

/** Some providers send groups only for a scope of this name. */
const scopeOf = ({ groupsClaim }: OpenidClientSettings, config: Configuration): string =>
  groupsClaim !== undefined && config.serverMetadata().scopes_supported?.includes('groups') === true
    ? `${SCOPE} groups`
    : SCOPE;

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
  // The code of an error of the platform is a number.
  const { code, error: oauth } = error as { code?: unknown; error?: unknown };
  if (oauth === 'access_denied')
    return 'The provider did not let you sign in. Ask its administrator.';
  if (oauth === 'invalid_client')
    return 'The provider does not accept the client ID or secret. Ask an owner to correct them.';
  if (typeof oauth === 'string') return 'The provider rejected the sign-in. Sign in again.';
  if (code === 'OAUTH_TIMEOUT') return 'The provider did not respond in time. Retry later.';
  if (typeof code === 'string' && code.startsWith('OAUTH_'))
    return 'The provider sent an invalid response. Ask its administrator.';
  return 'The provider cannot be reached. Retry later.';
}
