import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import {
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
  fetchUserInfo,
} from 'openid-client';
import { Agent, fetch } from 'undici';
import { AppConfig } from '../../platform/config/app-config';
import { Logger } from '../../platform/logging/logger';
import { AddressPolicy } from '../../platform/outbound/address-policy';
import { checkedConnector } from '../../platform/outbound/checked-connector';
import { hostResolver } from '../../platform/outbound/host-resolver';

/** Time for each request to a provider. */
const TIMEOUT_SECONDS = 10;
/** Time after which the metadata of a provider are read again. */
const METADATA_LIFETIME_MS = 10 * 60_000;
/** Metadata that are kept. */
const MAX_KEPT = 1_000;
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
  readonly isEmailVerified: boolean;
}

/** A provider that is away, or did not accept or send what it should. The message is public. */
export class ProviderError extends Error {}

/** Sends users to OpenID providers, and reads who came back. Requests go to checked addresses only. */
@Injectable()
export class OpenidClient implements BeforeApplicationShutdown {
  private readonly agent: Agent;
  private readonly known = new Map<string, { config: Configuration; untilMs: number }>();

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
    const url = buildAuthorizationUrl(config, {
      ...{ redirect_uri: redirectUri, scope: SCOPE, state, nonce },
      ...{ code_challenge: await calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
    });
    return url.href;
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
      if (!claims) throw new ProviderError('The provider sent no ID token.');
      const { sub: subject } = claims;
      const isComplete = typeof claims['email'] === 'string';
      const { email, email_verified: isVerified } = isComplete
        ? claims
        : await fetchUserInfo(config, tokens.access_token, subject);
      return {
        subject,
        email: typeof email === 'string' ? email : null,
        // Some providers send a text.
        isEmailVerified: isVerified === true || isVerified === 'true',
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

  private async configurationOf(settings: OpenidClientSettings): Promise<Configuration> {
    const key = keyOf(settings);
    const known = this.known.get(key);
    if (known && known.untilMs > Date.now()) return known.config;
    const { issuer, clientId, clientSecret } = settings;
    const config = await this.explaining(settings, () =>
      discovery(new URL(issuer), clientId, undefined, authenticationOf(clientSecret), {
        timeout: TIMEOUT_SECONDS,
        [customFetch]: this.fetch,
        // The connector allows plain HTTP only to addresses that the operator allows.
        ...(issuer.startsWith('http:') && { execute: [allowInsecureRequests] }),
      }),
    );
    this.known.delete(key);
    this.known.set(key, { config, untilMs: Date.now() + METADATA_LIFETIME_MS });
    const [oldest] = this.known.keys();
    if (this.known.size > MAX_KEPT && oldest !== undefined) this.known.delete(oldest);
    return config;
  }

  private readonly fetch: CustomFetch = async (url, options) =>
    (await fetch(url, {
      ...(options as Parameters<typeof fetch>[1]),
      dispatcher: this.agent,
    })) as unknown as Response;

  private async explaining<T>({ issuer }: OpenidClientSettings, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ProviderError) throw error;
      this.logger.pino.warn({ err: error, issuer }, 'identity provider failed');
      throw new ProviderError(reasonOf(error), { cause: error });
    }
  }
}

const keyOf = ({ issuer, clientId, clientSecret }: OpenidClientSettings): string =>
  JSON.stringify([issuer, clientId, clientSecret]);

/** Sends the secret in the header or the body, as the provider's metadata say. */
const authenticationOf =
  (secret: string): ReturnType<typeof ClientSecretBasic> =>
  (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticate = methods.includes('client_secret_basic')
      ? ClientSecretBasic(secret)
      : ClientSecretPost(secret);
    return authenticate(server, client, body, headers);
  };

/** Describes a failure for an owner, without addresses or what the provider sent. */
function reasonOf(error: unknown): string {
  const { code = '', error: oauth } = error as { code?: string; error?: unknown };
  if (oauth === 'access_denied') return 'The provider did not let you sign in.';
  if (oauth === 'invalid_client') return 'The provider does not accept the client ID or secret.';
  if (typeof oauth === 'string' && /^[a-z_]{1,40}$/.test(oauth))
    return `The provider rejected the sign-in: ${oauth}.`;
  if (code === 'OAUTH_TIMEOUT') return 'The provider did not respond in time.';
  if (code.startsWith('OAUTH_')) return 'The provider sent an invalid response.';
  return 'The provider cannot be reached.';
}
