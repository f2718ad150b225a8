import { Injectable } from '@nestjs/common';
import { accountSuspended, AppError, conflict } from '../../common/error/app-error';
import type { Role } from '../../common/permission/permission';
import { Database } from '../../platform/database/database';
import type { Release } from '../../platform/fairness/account-semaphore';
import { semaphoreOf } from '../../platform/fairness/limit';
import { LIMITS } from '../../platform/fairness/limits';
import { AccountService } from '../account.service';
import { auditTarget } from '../audit/audit-action';
import { AuditService } from '../audit/audit.service';
import { QuotaService } from '../quota/quota.service';
import { createSecretToken, hashSecretToken } from '../secret-token';
import type { ProviderSession } from '../session/session.service';
import type { UserRecord } from '../user/user.repository';
import { type GivenRoles, UserService, type UserWithAccount } from '../user/user.service';
import { rolesOf } from './group-role';
import {
  OpenidClient,
  type OpenidClientSettings,
  type Person,
  ProviderError,
} from './openid-client';
import { addressKey, domainKey, domainOf } from './person-address';
import { type ProviderRecord, ProviderRepository } from './provider.repository';
import { logoutKeyOf } from './provider-logout.service';
import { lacksOneOf, ProviderService } from './provider.service';
import { requestUrl, type SamlParty } from './saml-party';
import { UNSOLICITED } from './saml-response';
import { arrivedPerson } from './saml-sign-in.service';

/** Time in which a user must come back from the provider. */
const LIFETIME_MS = 10 * 60_000;

/** A user who came back from a provider. */
export interface ProvenUser extends UserWithAccount {
  readonly confirmedBy: ProviderSession;
  readonly subject: string;
  readonly begunAt: Date;
  /** Certificates with one of which a SAML provider has signed. */
  readonly certificates: readonly string[];
}

/**
 * Signs users in by identity providers. A person of a provider is bound to one user of the provider's account: at the
 * first sign-in by a verified email address, and then by the identifier that never changes.
 */
@Injectable()
export class ProviderSignInService {
  private readonly readsOfAddress = semaphoreOf(LIMITS.providerRedirects, {});
  private readonly readsOfAccount = semaphoreOf(LIMITS.providerReads, {});

  constructor(
    private readonly database: Database,
    private readonly providers: ProviderService,
    private readonly repository: ProviderRepository,
    private readonly client: OpenidClient,
    private readonly accounts: AccountService,
    private readonly users: UserService,
    private readonly quotas: QuotaService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Begins a sign-in.
   * @param browser Token in a cookie of the browser, which must come back with it.
   * @param party What a SAML provider must know of the service.
   * @param address Group of the client address, which has a share of the requests to providers.
   * @returns the URL of the provider's page.
   * @throws AppError `not_found`; `conflict` if the provider does not answer; `unavailable`, `rate_limited`.
   */
  async begin(
    providerId: string,
    browser: string,
    redirectUri: string,
    party: SamlParty,
    address: string,
  ): Promise<string> {
    const provider = await this.providers.get(providerId);
    const secrets = {
      state: createSecretToken(),
      nonce: createSecretToken(),
      verifier: createSecretToken(),
    };
    const admit = (): Release => this.admit(provider.accountId, address);
    const url = await this.asking(provider, (settings) =>
      provider.kind === 'saml'
        ? requestUrl(provider.ssoUrl ?? '', party, secrets)
        : this.client.urlFor(settings, redirectUri, secrets, admit),
    );
    await this.repository.putSignIn({
      ...{ stateHash: hashSecretToken(secrets.state), browserHash: hashSecretToken(browser) },
      ...{ providerId: provider.id, nonce: secrets.nonce, verifier: secrets.verifier },
      expiresAt: new Date(Date.now() + LIFETIME_MS),
      ...{ codeHash: null, outcome: null },
    });
    return url;
  }

  /** Takes permits for a read of the metadata of a provider. @throws AppError `unavailable`, `rate_limited` */
  private admit(accountId: string, address: string): Release {
    const releaseAddress = this.readsOfAddress.acquireNow(address);
    const releaseAccount = this.readsOfAccount.tryAcquire(accountId);
    if (!releaseAccount) {
      releaseAddress();
      throw this.readsOfAccount.rejection(accountId);
    }
    return () => {
      releaseAddress();
      releaseAccount();
    };
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
    if (provider.kind === 'saml' && state === '') throw conflict(UNSOLICITED);
    // Before the state is used up, which works once.
    return this.providers.whileSigningIn(provider.accountId, () =>
      this.completed(provider, browser, response, state),
    );
  }

  private async completed(
    provider: ProviderRecord,
    browser: string,
    response: URL,
    state: string,
  ): Promise<ProvenUser> {
    const begun = await this.repository.takeSignIn(
      provider.id,
      hashSecretToken(state),
      hashSecretToken(browser),
    );
    if (!begun) throw signInOver();
    const { nonce, verifier } = begun;
    const person = await this.asking(provider, (settings) =>
      provider.kind === 'saml'
        ? arrivedPerson(begun, response.searchParams)
        : this.client.personOf(settings, response, { state, nonce, verifier }),
    );
    const { userId, given } = await this.database.transaction(() => this.enter(provider, person));
    await this.users.giveRoles(provider.accountId, userId, given, 'service');
    const { subject, sessionId, sessionEndsAt: endsAt } = person;
    return {
      ...(await this.users.getWithAccount(userId)),
      confirmedBy: { providerId: provider.id, sessionId, endsAt },
      ...{ subject, begunAt: new Date(begun.expiresAt.getTime() - LIFETIME_MS) },
      certificates: provider.certificates,
    };
  }

  /**
   * Returns the user who a person is, and the roles that the person's groups give. Reads the provider again, which
   * may have changed while the person was there.
   */
  private async enter(
    { id, accountId, clientId }: ProviderRecord,
    person: Person,
  ): Promise<{ readonly userId: string; readonly given: GivenRoles }> {
    // The lock of the account comes before all others.
    await this.quotas.lock(accountId);
    const provider = await this.repository.hold(id);
    if (provider?.clientId !== clientId) throw signInOver();
    const { suspended } = await this.accounts.get(provider.accountId);
    if (suspended) throw accountSuspended();
    const given = rolesOf(provider.groupRoles, person.groups);
    const known = await this.repository.findUser(id, person.subject);
    const userId = known ?? (await this.bind(provider, person, given));
    const { user } = await this.users.getWithAccount(userId);
    if (user.suspended) throw accountSuspended();
    return { userId, given };
  }

  /**
   * Returns whether a user is still bound to a provider, which has lost no certificate, and has not signed out there. Keeps the provider until the
   * end of the transaction, so that no session starts that its removal or a logout does not end.
   */
  async isStillBound(proven: ProvenUser): Promise<boolean> {
    const { user, confirmedBy, subject, begunAt } = proven;
    const { providerId, sessionId } = confirmedBy;
    if (!(await this.repository.holdBinding(providerId, user.id))) return false;
    const provider = await this.repository.findById(providerId);
    if (!provider || lacksOneOf(proven, provider.certificates)) return false;
    const keys = [logoutKeyOf('sub', subject)];
    if (sessionId !== null) keys.push(logoutKeyOf('sid', sessionId));
    return !(await this.repository.hasLogoutSince(providerId, keys, begunAt));
  }

  /** Binds a person to the user with the same verified email address, or to a new one. */
  private async bind(provider: ProviderRecord, person: Person, given: GivenRoles): Promise<string> {
    const { id, accountId, name, trustsEmail } = provider;
    const { subject, email, isEmailVerified } = person;
    if (provider.kind === 'saml' && email !== null && !trustsEmail)
      throw notSignedIn(
        'The account does not trust the email addresses of the provider. Ask an owner.',
      );
    if (email === null)
      throw notSignedIn('The provider did not send your email address. Ask its administrator.');
    if (isEmailVerified === false || (isEmailVerified === null && !trustsEmail))
      throw notSignedIn(
        'The provider does not say that your email address is verified. Ask its administrator.',
      );
    await this.users.lockEmail(email);
    const user = await this.userWith(email, provider, given);
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
  private async userWith(
    email: string,
    provider: ProviderRecord,
    given: GivenRoles,
  ): Promise<UserRecord> {
    const { accountId } = provider;
    const found = (await this.users.listByEmail(email)).find(
      ({ account }) => account.id === accountId,
    );
    // Users are unique by a wider form, in which the address of another person can be equal.
    if (found && addressKey(found.user.email) !== addressKey(email)) throw noUser();
    if (found) return found.user;
    const role = roleOfNew(email, provider, given);
    if (role === null) throw noUser();
    return this.users.create(accountId, email, role, 'service');
  }

  private async asking<T>(
    provider: ProviderRecord,
    ask: (settings: OpenidClientSettings) => Promise<T>,
  ): Promise<T> {
    const { issuer, groupRoles } = provider;
    const clientId = provider.clientId ?? '';
    const groupsClaim = groupRoles.length > 0 ? provider.groupsClaim : undefined;
    try {
      const clientSecret = this.providers.secretOf(provider);
      return await ask({ issuer, clientId, clientSecret, groupsClaim });
    } catch (error) {
      if (error instanceof ProviderError) throw conflict(error.message);
      throw error;
    }
  }
}

/**
 * Returns the role of a user who is created; `null` if the person may not be one. The administrators of the provider
 * decide about its groups, and an owner about other people, by the domain of their address.
 */
function roleOfNew(
  email: string,
  { newUserRole, newUserDomains }: ProviderRecord,
  given: GivenRoles,
): Role | null {
  if (given.role !== null) return given.role;
  if (newUserRole !== null && newUserDomains.map(domainKey).includes(domainOf(email)))
    return newUserRole;
  return given.workspaceRoles.length > 0 ? 'member' : null;
}

const noUser = (): AppError =>
  notSignedIn('You are not a user of this account. Ask an owner to invite you.');

const notSignedIn = (message: string): AppError => new AppError('forbidden', message);

/** 401: the sign-in is over. */
export function signInOver(): AppError {
  const message = 'The sign-in is over, or began in another browser. Sign in again.';
  return new AppError('unauthenticated', message, { headers: { 'WWW-Authenticate': 'Cookie' } });
}
