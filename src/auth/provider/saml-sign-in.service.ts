import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { semaphoreOf } from '../../platform/fairness/limit';
import { LIMITS } from '../../platform/fairness/limits';
import { Logger } from '../../platform/logging/logger';
import { createSecretToken, hashSecretToken, isSecretToken } from '../secret-token';
import { type Person, ProviderError, providerError } from './openid-client';
import type { SignInOutcome } from './provider.entity';
import {
  type ProviderSignIn,
  type ProviderRecord,
  ProviderRepository,
} from './provider.repository';
import { certificatesOf } from './saml-certificate';
import { requestIdOf, type SamlParty } from './saml-party';
import { SamlProviderService } from './saml-provider.service';
import { expired, personIn } from './saml-response';
import { SeenSignatures } from './saml-signature-value';

/** Time before the expiry of the last certificate from which on it is logged. */
const WARNED_MS = 30 * 86_400_000;

/** Fields of the form with which a browser comes from a SAML provider. */
export interface SamlForm {
  readonly samlResponse: string;
  readonly relayState: string;
}

/**
 * Receives the responses of SAML providers. The page of the provider sends them from another site, so the cookie of
 * the browser that began does not come with them. What a response says waits in the row of the sign-in, for that
 * cookie and for a code that only the browser has which brought the response. So nobody signs in by a response that
 * another browser has brought.
 */
@Injectable()
export class SamlSignInService {
  private readonly permits = semaphoreOf(LIMITS.samlResponses, {});
  private readonly seen = new SeenSignatures();

  constructor(
    private readonly providers: SamlProviderService,
    private readonly repository: ProviderRepository,
    private readonly logger: Logger,
  ) {}

  /**
   * Takes a response.
   * @returns the query with which the browser completes the sign-in: empty if none was begun here.
   * @throws AppError `not_found`, `unavailable`, `rate_limited`
   */
  async receive(
    providerId: string,
    { samlResponse, relayState: state }: SamlForm,
    party: SamlParty,
  ): Promise<URLSearchParams> {
    const provider = await this.providers.get(providerId);
    if (!isSecretToken(state)) return new URLSearchParams();
    const stateHash = hashSecretToken(state);
    // The page says that the sign-in is over.
    const over = new URLSearchParams({ state });
    if (!(await this.repository.isWaiting(provider.id, stateHash))) return over;
    const release = await this.permits.acquire(provider.accountId);
    try {
      const code = createSecretToken();
      const codeHash = hashSecretToken(code);
      // Another response may have come while this one waited.
      const begun = await this.repository.claimSignIn(provider.id, stateHash, codeHash);
      if (!begun) return over;
      const outcome = await this.outcomeOf(provider, begun, samlResponse, party);
      await this.repository.respondSignIn(stateHash, codeHash, outcome);
      return new URLSearchParams({ state, code });
    } finally {
      release();
    }
  }

  private async outcomeOf(
    provider: ProviderRecord,
    begun: ProviderSignIn,
    samlResponse: string,
    party: SamlParty,
  ): Promise<SignInOutcome> {
    const { id, accountId, issuer, certificates } = provider;
    this.warnOfExpiry(provider);
    try {
      const requestId = requestIdOf(begun);
      const { subject, email, sessionEndsAt } = await personIn(samlResponse, {
        ...{ accountId, issuer, certificates, requestId, ...party, seen: this.seen },
      });
      const ends = sessionEndsAt && { sessionEndsAt: sessionEndsAt.toISOString() };
      return { subject, email, ...ends };
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      this.logger.pino.warn({ err: error, providerId: id, issuer }, 'identity provider failed');
      return { problem: error.message };
    }
  }

  private warnOfExpiry({ id, issuer, certificates }: ProviderRecord): void {
    const times = certificatesOf(certificates).map(({ expiresAt }) => expiresAt.getTime());
    const last = Math.max(...times);
    if (last > Date.now() + WARNED_MS) return;
    const fields = { providerId: id, issuer, expiresAt: new Date(last) };
    this.logger.pino.warn(fields, 'certificate of identity provider expires');
  }
}

/**
 * Returns who the response to a sign-in says has signed in.
 * @param query That with which `receive` sent the browser.
 * @throws ProviderError
 */
export async function arrivedPerson(
  { codeHash, outcome }: ProviderSignIn,
  query: URLSearchParams,
): Promise<Person> {
  const code = hashSecretToken(query.get('code') ?? '');
  if (!codeHash || !outcome || !timingSafeEqual(code, codeHash))
    throw providerError('The response of the provider came from another browser. Sign in again.');
  if ('problem' in outcome) throw providerError(outcome.problem);
  const { subject, email, sessionEndsAt: ends } = outcome;
  const sessionEndsAt = ends === undefined ? null : new Date(ends);
  // The browser may have waited.
  if (sessionEndsAt && sessionEndsAt.getTime() <= Date.now()) throw expired();
  const unknown = { isEmailVerified: null, sessionId: null, groups: [] };
  return Promise.resolve({ subject, email, sessionEndsAt, ...unknown });
}
