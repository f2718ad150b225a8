import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError, unavailable } from '../../common/error/app-error';
import { Database } from '../../platform/database/database';
import { SealError } from '../../platform/secrets/sealer';
import { auditTarget } from '../audit/audit-action';
import { AuditService } from '../audit/audit.service';
import { hashSecretToken } from '../secret-token';
import { UserService, type UserWithAccount } from '../user/user.service';
import { OpenidClient, type OpenidClientSettings, type Person, ProviderError } from './openid-client';
import { type ProviderRecord, ProviderRepository } from './provider.repository';
import { ProviderService } from './provider.service';

/** Time in which a user must come back from the provider. */
const LIFETIME_MS = 10 * 60_000;
/** As OpenID Connect allows. */
const MAX_SUBJECT_LENGTH = 255;

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
  constructor(
    private readonly database: Database,
    private readonly providers: ProviderService,
    private readonly repository: ProviderRepository,
    private readonly client: OpenidClient,
    private readonly users: UserService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Begins a sign-in.
   * @param browser Token in a cookie of the browser, which must come back with it.
   * @returns the URL of the provider's page.
   * @throws AppError `not_found`, `unavailable`
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
   *   `unavailable` if the provider does not confirm it; `forbidden` if the person cannot be a user.
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

  private async userOf(provider: ProviderRecord, person: Person): Promise<string> {
    const known = await this.repository.findUser(provider.id, person.subject);
    return known ?? this.database.transaction(() => this.bind(provider, person));
  }

  /** Binds a person to the user with the same verified email address, or to a new one. */
  private async bind(provider: ProviderRecord, person: Person): Promise<string> {
    const { id, accountId, name, newUserRole, trustsEmail } = provider;
    const { subject, email, isEmailVerified } = person;
    if (email === null) throw rejected('The provider did not send your email address.');
    if (subject.length > MAX_SUBJECT_LENGTH || subject.includes('\0'))
      throw rejected('The provider sent an identifier that is too long.');
    if (!isEmailVerified && !trustsEmail)
      throw rejected('The provider does not say that your email address is verified.');
    await this.users.lockEmail(email);
    const found = (await this.users.listByEmail(email)).find(
      ({ account }) => account.id === accountId,
    );
    if (!found && newUserRole === null)
      throw rejected('You are not a user of this account. Ask an owner to invite you.');
    const user =
      found?.user ?? (await this.users.create(accountId, email, newUserRole ?? 'member', 'service'));
    if (user.isService) throw rejected('Nobody can sign in as a service account.');
    if (!(await this.repository.bind(id, subject, user.id)))
      throw rejected('Another person of the provider signs in as this user.');
    const target = auditTarget('user', user.id, user.email);
    await this.audit.record(accountId, 'service', 'identity_bound', target, {
      details: { provider: name },
    });
    return user.id;
  }

  private async asking<T>(
    provider: ProviderRecord,
    ask: (settings: OpenidClientSettings) => Promise<T>,
  ): Promise<T> {
    const { issuer, clientId } = provider;
    try {
      return await ask({ issuer, clientId, clientSecret: this.providers.secretOf(provider) });
    } catch (error) {
      if (error instanceof ProviderError) throw unavailable(error.message, error);
      if (error instanceof SealError)
        throw unavailable('The secret of the provider cannot be opened. Ask the operator.', error);
      throw error;
    }
  }
}

/** 256 random bits. */
const random = (): string => randomBytes(32).toString('base64url');

const rejected = (message: string): AppError => new AppError('forbidden', message);

function expired(): AppError {
  const message = 'The sign-in is over, or began in another browser. Sign in again.';
  return new AppError('unauthenticated', message, { headers: { 'WWW-Authenticate': 'Cookie' } });
}
