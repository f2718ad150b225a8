import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError, conflict } from '../../common/error/app-error';
import { foldName } from '../../common/text/id';
import { Database } from '../../platform/database/database';
import type { AccountSemaphore } from '../../platform/fairness/account-semaphore';
import { semaphoreOf } from '../../platform/fairness/limit';
import { LIMITS } from '../../platform/fairness/limits';
import { auditTarget } from '../audit/audit-action';
import { AuditService } from '../audit/audit.service';
import { hashSecretToken } from '../secret-token';
import type { UserRecord } from '../user/user.repository';
import { UserService, type UserWithAccount } from '../user/user.service';
import {
  OpenidClient,
  type OpenidClientSettings,
  type Person,
  ProviderError,
} from './openid-client';
import { type ProviderRecord, ProviderRepository } from './provider.repository';
import { ProviderService } from './provider.service';

/** Time in which a user must come back from the provider. */
const LIFETIME_MS = 10 * 60_000;

/** A user who came back from a provider. */
export interface ProvenUser extends UserWithAccount {
  readonly providerId: string;
}

/**
 * Signs users in by OpenID providers. A person of a provider is bound to one user of the provider's account: at the
 * first sign-in by a verified email address, and then by the identifier that never changes.
 */
@Injectable()
export class ProviderSignInService {
  private readonly permits: AccountSemaphore;

  constructor(
    private readonly database: Database,
    private readonly providers: ProviderService,
    private readonly repository: ProviderRepository,
    private readonly client: OpenidClient,
    private readonly users: UserService,
    private readonly audit: AuditService,
  ) {
    this.permits = semaphoreOf(LIMITS.providerSignIns, {});
  }

  /**
   * Begins a sign-in.
   * @param browser Token in a cookie of the browser, which must come back with it.
   * @returns the URL of the provider's page.
   * @throws AppError `not_found`; `conflict` if the provider does not answer; `unavailable`, `rate_limited`.
   */
  async begin(providerId: string, browser: string, redirectUri: string): Promise<string> {
    const provider = await this.providers.get(providerId);
    const secrets = { state: random(), nonce: random(), verifier: random() };
    const url = await this.asking(provider, (settings) =>
      this.client.urlFor(settings, redirectUri, secrets),
    );
    await this.repository.putSignIn({
      ...{ stateHash: hashSecretToken(secrets.state), browserHash: hashSecretToken(browser) },
      ...{ providerId: provider.id, nonce: secrets.nonce, verifier: secrets.verifier },
      expiresAt: new Date(Date.now() + LIFETIME_MS),
    });
    return url;
  }

  /**
   * Completes a sign-in.
   * @param response URL to which the provider sent the browser.
   * @throws AppError `not_found`; `unauthenticated` if the sign-in was not begun in this browser, or is over;
   *   `conflict` if the provider does not confirm it; `forbidden` if the person cannot be a user; `unavailable`,
   *   `rate_limited`.
   */
  async complete(providerId: string, browser: string, response: URL): Promise<ProvenUser> {
    const provider = await this.providers.get(providerId);
    const state = response.searchParams.get('state') ?? '';
    const begun = await this.repository.takeSignIn(
      provider.id,
      hashSecretToken(state),
      hashSecretToken(browser),
    );
    if (!begun) throw expired();
    const { nonce, verifier } = begun;
    const person = await this.asking(provider, (settings) =>
      this.client.personOf(settings, response, { state, nonce, verifier }),
    );
    const userId = await this.userOf(provider, person);
    return { ...(await this.users.getWithAccount(userId)), providerId: provider.id };
  }

  /**
   * Returns whether a user is still bound to a provider. Keeps the provider until the end of the transaction, so
   * that no session starts that its removal does not end.
   */
  async isStillBound({ user, providerId }: ProvenUser): Promise<boolean> {
    return this.repository.holdBinding(providerId, user.id);
  }

  private async userOf(provider: ProviderRecord, person: Person): Promise<string> {
    const known = await this.repository.findUser(provider.id, person.subject);
    return known ?? this.database.transaction(() => this.bind(provider, person));
  }

  /** Binds a person to the user with the same verified email address, or to a new one. */
  private async bind(provider: ProviderRecord, person: Person): Promise<string> {
    const { id, accountId, name, trustsEmail } = provider;
    const { subject, email, isEmailVerified } = person;
    if (email === null)
      throw notSignedIn('The provider did not send your email address. Ask its administrator.');
    if (isEmailVerified === false || (isEmailVerified === null && !trustsEmail))
      throw notSignedIn(
        'The provider does not say that your email address is verified. Ask its administrator.',
      );
    await this.users.lockEmail(email);
    const user = await this.userWith(email, provider);
    if (user.isService) throw notSignedIn('Nobody can sign in as a service account. Ask an owner.');
    const isNew = await this.repository.bind(id, subject, user.id);
    // Another tab may have been quicker.
    if (!isNew && (await this.repository.findUser(id, subject)) !== user.id)
      throw notSignedIn('Another person of the provider signs in as this user. Ask an owner.');
    if (isNew) {
      const target = auditTarget('user', user.id, user.email);
      const details = { provider: name };
      await this.audit.record(accountId, 'service', 'identity_bound', target, { details });
    }
    return user.id;
  }

  /** Returns the user of the account with an email address, or a new one if the provider creates users. */
  private async userWith(email: string, provider: ProviderRecord): Promise<UserRecord> {
    const { accountId, newUserRole, newUserDomains } = provider;
    const found = (await this.users.listByEmail(email)).find(
      ({ account }) => account.id === accountId,
    );
    if (found) return found.user;
    const domain = foldName(email.slice(email.lastIndexOf('@') + 1));
    if (newUserRole === null || !newUserDomains.includes(domain))
      throw notSignedIn('You are not a user of this account. Ask an owner to invite you.');
    return this.users.create(accountId, email, newUserRole, 'service');
  }

  private async asking<T>(
    provider: ProviderRecord,
    ask: (settings: OpenidClientSettings) => Promise<T>,
  ): Promise<T> {
    const { issuer, clientId, accountId } = provider;
    const release = this.permits.acquireNow(accountId);
    try {
      return await ask({ issuer, clientId, clientSecret: this.providers.secretOf(provider) });
    } catch (error) {
      if (error instanceof ProviderError) throw conflict(error.message);
      throw error;
    } finally {
      release();
    }
  }
}

/** 256 random bits. */
const random = (): string => randomBytes(32).toString('base64url');

const notSignedIn = (message: string): AppError => new AppError('forbidden', message);

function expired(): AppError {
  const message = 'The sign-in is over, or began in another browser. Sign in again.';
  return new AppError('unauthenticated', message, { headers: { 'WWW-Authenticate': 'Cookie' } });
}
