import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { notFound, unavailable } from '../../common/error/app-error';
import { ChangeListener } from '../../platform/database/change-listener';
import { Database } from '../../platform/database/database';
import type { AccountSemaphore } from '../../platform/fairness/account-semaphore';
import { semaphoreOf } from '../../platform/fairness/limit';
import { LIMITS } from '../../platform/fairness/limits';
import { auditTarget } from '../audit/audit-action';
import { AuditService } from '../audit/audit.service';
import { SessionService } from '../session/session.service';
import { LOGOUT_TOKEN_LIFETIME_MS, type Logout, LogoutTokenError } from './logout-token';
import { OpenidClient, ProviderError } from './openid-client';
import { type ProviderRecord, ProviderRepository } from './provider.repository';
import { ProviderService } from './provider.service';

export { LogoutTokenError };

/** Ends the sessions of people who have signed out at their provider (OpenID Connect Back-Channel Logout 1.0). */
@Injectable()
export class ProviderLogoutService {
  private readonly permits: AccountSemaphore;

  constructor(
    private readonly database: Database,
    private readonly providers: ProviderService,
    private readonly repository: ProviderRepository,
    private readonly client: OpenidClient,
    private readonly sessions: SessionService,
    private readonly audit: AuditService,
  ) {
    this.permits = semaphoreOf(LIMITS.providerLogouts, {});
  }

  /**
   * Ends the sessions that a provider started for a person. When this returns, no process sends them anything more.
   * @param token Logout token of the provider, which works once.
   * @throws LogoutTokenError; AppError `not_found`; `unavailable` if the keys of the provider cannot be read;
   *   `rate_limited`.
   */
  async logOut(providerId: string, token: string): Promise<void> {
    const provider = await this.providers.get(providerId);
    if (provider.kind !== 'openid') throw notFound('Provider');
    const logout = await this.verify(provider, token);
    await this.database.transaction(async () => {
      // Waits for sign-ins that are about to start a session.
      await this.repository.lock(provider.id);
      const now = Date.now();
      const use = {
        ...{ providerId: provider.id, keyHash: logoutKeyOf('jti', logout.id) },
        expiresAt: new Date(now + LOGOUT_TOKEN_LIFETIME_MS),
      };
      if (!(await this.repository.putLogout(use)))
        throw new LogoutTokenError('logout_token was used before.');
      // Whom it names, or the session, for sign-ins that are on their way.
      const { subject, sessionId } = logout;
      const key =
        sessionId === null ? logoutKeyOf('sub', subject ?? '') : logoutKeyOf('sid', sessionId);
      await this.repository.noteLogout(provider.id, key, new Date(now));
      await this.end(provider, logout);
    });
    await ChangeListener.waitUntilPropagated();
  }

  private async end(provider: ProviderRecord, { subject, sessionId }: Logout): Promise<void> {
    const { id, accountId, name } = provider;
    const userId = subject === null ? null : await this.repository.findUser(id, subject);
    // The person has never signed in here.
    if (subject !== null && userId === null) return;
    const ended = await this.sessions.endOfPerson(id, { userId, providerSessionId: sessionId });
    const details = { provider: name };
    for (const session of ended) {
      const target = auditTarget('session', session);
      await this.audit.record(accountId, 'service', 'session_ended', target, { details });
    }
  }

  private async verify(provider: ProviderRecord, token: string): Promise<Logout> {
    const { issuer, accountId } = provider;
    const clientId = provider.clientId ?? '';
    const release = await this.permits.acquire(accountId);
    try {
      const clientSecret = this.providers.secretOf(provider);
      return await this.client.logoutOf({ issuer, clientId, clientSecret }, token);
    } catch (error) {
      if (error instanceof ProviderError) throw unavailable(error.message, error);
      throw error;
    } finally {
      release();
    }
  }
}

/** Returns the key of a logout token (`jti`), or of a person or a session at the provider that has ended. */
export const logoutKeyOf = (claim: 'jti' | 'sub' | 'sid', value: string): Buffer =>
  createHash('sha256').update(`${claim}:${value}`).digest();
