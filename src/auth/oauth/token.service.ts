import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError } from '../../common/error/app-error';
import { SCOPES } from '../../common/permission/scope';
import { ChangeListener } from '../../platform/database/change-listener';
import { Database } from '../../platform/database/database';
import type { RateCounter } from '../../platform/throttling/rate-counter';
import { RateCounters } from '../../platform/throttling/rate-counters';
import { ThrottlingMetrics } from '../../platform/throttling/throttling-metrics';
import { createApiKeyToken, describeApiKeyToken, isApiKeyToken } from '../api-key/api-key-token';
import { createSecretToken, hashSecretToken, isSecretToken } from '../secret-token';
import { OauthClientService } from './client.service';
import { type LockedGrant, OauthGrantRepository } from './grant.repository';
import { OauthGrantService } from './grant.service';
import { OauthError } from './oauth-error';

/** Lifetime of an access token. */
const TOKEN_LIFETIME_SECONDS = 3_600;

/** Refreshes of one grant in a minute. Each changes a key, of which all instances are notified. */
const MAX_REFRESHES = 10;
const REFRESH_WINDOW_SECONDS = 60;

/** `mr_`, the part that all refresh tokens of a grant share, and the part that each has of its own. */
const REFRESH_TOKEN = /^mr_([\w-]{43})([\w-]{43})$/;

const VERIFIER = /^[\w.~-]{43,128}$/;

/** Response of the token endpoint (RFC 6749, 5.1). */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
}

type Parameters = Partial<Record<string, string>>;

/** Why a request for tokens fails. Revocations before it are committed. */
type Failure = 'invalid' | 'reused';

/** Gives applications tokens, and takes them back. */
@Injectable()
export class OauthTokenService {
  private readonly refreshes: RateCounter;

  constructor(
    private readonly database: Database,
    private readonly repository: OauthGrantRepository,
    private readonly grants: OauthGrantService,
    private readonly clients: OauthClientService,
    private readonly metrics: ThrottlingMetrics,
    counters: RateCounters,
  ) {
    this.refreshes = counters.create('token-refresh', MAX_REFRESHES, REFRESH_WINDOW_SECONDS);
  }

  /** @throws OauthError, or AppError `rate_limited` if a grant is refreshed too often. */
  async issue(sent: Parameters): Promise<TokenResponse> {
    const { client_id: clientId, grant_type: type } = sent;
    if (clientId === undefined) throw new OauthError('invalid_request', 'client_id is required.');
    if (type === 'authorization_code') return this.settle(clientId, () => this.exchange(sent));
    if (type === 'refresh_token') {
      const [, family, own = ''] = REFRESH_TOKEN.exec(sent['refresh_token'] ?? '') ?? [];
      if (family !== undefined) await this.countRefresh(family);
      return this.settle(clientId, () =>
        family === undefined ? Promise.resolve('invalid') : this.refresh(sent, family, own),
      );
    }
    const message = 'grant_type must be authorization_code or refresh_token.';
    throw new OauthError('unsupported_grant_type', message);
  }

  /**
   * Revokes the grant of an access token or a refresh token (RFC 7009). Does nothing if the token is unknown or
   * another application's.
   */
  async revoke({ token = '', client_id: clientId }: Parameters): Promise<void> {
    const isRevoked = await this.database.transaction(async () => {
      const grant = await this.findByToken(token);
      if (grant?.clientId !== clientId || !grant) return false;
      await this.grants.revokeLocked(grant, 'service', 'by_application');
      return true;
    });
    if (isRevoked) await ChangeListener.waitUntilPropagated();
  }

  private async findByToken(token: string): Promise<LockedGrant | null> {
    if (isApiKeyToken(token)) return this.repository.lockByToken(hashSecretToken(token));
    const family = REFRESH_TOKEN.exec(token)?.[1];
    return family === undefined ? null : this.repository.lockByFamily(hashSecretToken(family));
  }

  private async settle(
    clientId: string,
    work: () => Promise<TokenResponse | Failure>,
  ): Promise<TokenResponse> {
    const result = await this.database.transaction(work);
    if (typeof result === 'object') return result;
    if (result === 'reused') await ChangeListener.waitUntilPropagated();
    // Otherwise, an application whose registration is gone would ask the user again as one that nobody knows.
    if (!(await this.clients.mayExist(clientId)))
      throw new OauthError('invalid_client', 'The application is not registered, or is no longer.');
    throw new OauthError('invalid_grant', 'The code or token is not valid, or is no longer.');
  }

  private async exchange(sent: Parameters): Promise<TokenResponse | Failure> {
    const { code = '', code_verifier: verifier = '', redirect_uri: redirectUri } = sent;
    const grant = isSecretToken(code)
      ? await this.repository.lockByCode(hashSecretToken(code))
      : null;
    if (!grant) return 'invalid';
    const isBound =
      isFor(grant, sent) &&
      (redirectUri === undefined || redirectUri === grant.redirectUri) &&
      VERIFIER.test(verifier) &&
      hash('sha256', verifier, 'base64url') === grant.codeChallenge;
    // Whoever only has the code can neither use it nor end the grant.
    if (!isBound) return 'invalid';
    if (grant.isCodeUsed) {
      // Whoever else has the code has the verifier, too.
      await this.grants.revokeLocked(grant, 'service', 'code_reused');
      return 'reused';
    }
    if (grant.isCodeExpired || !grant.isActive) return 'invalid';
    await this.clients.keepFor(grant.clientId, grant.expiresAt);
    return this.giveTokens(grant, createSecretToken());
  }

  /** @param family,own The parts of the refresh token. */
  private async refresh(
    sent: Parameters,
    family: string,
    own: string,
  ): Promise<TokenResponse | Failure> {
    const grant = await this.repository.lockByFamily(hashSecretToken(family));
    if (!grant || !isFor(grant, sent)) return 'invalid';
    if (grant.refreshHash?.equals(hashSecretToken(own)) !== true) {
      // The token was valid once. Either its thief or its owner uses it again.
      await this.grants.revokeLocked(grant, 'service', 'refresh_token_reused');
      return 'reused';
    }
    if (!grant.isActive) return 'invalid';
    requireGranted(grant, sent['scope']);
    return this.giveTokens(grant, family);
  }

  /** Counts before a connection is taken, also a token that was never given. */
  private async countRefresh(family: string): Promise<void> {
    const { allowed, resetSeconds } = await this.refreshes.hit(
      hashSecretToken(family).toString('base64url'),
    );
    if (allowed) return;
    this.metrics.rejected('token-refresh');
    throw new AppError('rate_limited', 'The tokens are refreshed too often. Retry later.', {
      headers: { 'Retry-After': String(resetSeconds) },
    });
  }

  /** Gives new tokens. The previous ones are no longer valid. */
  private async giveTokens(grant: LockedGrant, family: string): Promise<TokenResponse | Failure> {
    const token = createApiKeyToken();
    const own = createSecretToken();
    const stored = { hash: hashSecretToken(token), ...describeApiKeyToken(token) };
    const seconds = await this.repository.setToken(grant.id, stored, TOKEN_LIFETIME_SECONDS);
    if (seconds === null) return 'invalid';
    await this.repository.setRefresh(grant.id, hashSecretToken(family), hashSecretToken(own));
    return {
      access_token: token,
      token_type: 'Bearer',
      expires_in: seconds,
      refresh_token: `mr_${family}${own}`,
      scope: grant.scopes.join(' '),
    };
  }
}

/** Returns whether a grant is that of the application and of the resource in a request. */
function isFor({ clientId, resource }: LockedGrant, sent: Parameters): boolean {
  const asked = sent['resource']?.replace(/\/$/, '');
  return sent['client_id'] === clientId && (asked === undefined || asked === resource);
}

/** A refresh may ask for less, which does not change the grant, but not for more. */
function requireGranted({ scopes }: LockedGrant, text: string | undefined): void {
  const names = new Set(text?.split(' '));
  const more = SCOPES.filter((scope) => names.has(scope) && !scopes.includes(scope));
  if (more.length > 0)
    throw new OauthError('invalid_scope', 'A scope was not granted to the application.');
}
