import { Injectable } from '@nestjs/common';
import { conflict, notFound, unavailable } from '../../common/error/app-error';
import type { Role } from '../../common/permission/permission';
import { isUuid, newId } from '../../common/text/id';
import { Database } from '../../platform/database/database';
import { semaphoreOf } from '../../platform/fairness/limit';
import { LIMITS } from '../../platform/fairness/limits';
import { SealError, Sealer } from '../../platform/secrets/sealer';
import { AccountService } from '../account.service';
import { type Actor, auditTarget } from '../audit/audit-action';
import { AuditService } from '../audit/audit.service';
import { QuotaService } from '../quota/quota.service';
import { SessionService } from '../session/session.service';
import { WorkspaceRoleService } from '../user/workspace-role.service';
import type { GroupRole } from './group-role';
import { OpenidClient, ProviderError } from './openid-client';
import { domainOf, shownDomain } from './person-address';
import {
  type OfferedProvider,
  type ProviderRecord,
  ProviderRepository,
} from './provider.repository';
import { certificatesOf, type SamlCertificate } from './saml-certificate';

const MAX_PROVIDERS = 20;

/** Place of the client secret of a provider, by its id. */
export const providerSecretPlace = (id: string): string => `provider:${id}:client-secret`;

/** Returns the URL of the page on which users sign in by a provider. @param base URL of the console. */
export const providerPage = (base: string, id: string): string => `${base}/sign-in/${id}`;

/** Settings of an OpenID provider. */
export interface ProviderSettings {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly newUserRole: Role | null;
  /** Domains of the email addresses of people who are offered the provider, and of users who are created. */
  readonly newUserDomains: string[];
  readonly trustsEmail: boolean;
  /** Claim of the ID token with the groups of a person. */
  readonly groupsClaim: string;
  /** Roles that groups give at each sign-in. */
  readonly groupRoles: GroupRole[];
}

/** A provider, for the owners of its account. Never contains the secret. */
export type ProviderView = Omit<ProviderRecord, 'accountId' | 'clientSecret' | 'certificates'> & {
  readonly certificates: readonly CertificateView[];
};

/** A certificate with which a SAML provider signs. */
export type CertificateView = Omit<SamlCertificate, 'base64'>;

/** Identity providers of accounts. */
@Injectable()
export class ProviderService {
  private readonly signingIn = semaphoreOf(LIMITS.providerSignIns, {});

  constructor(
    private readonly database: Database,
    private readonly repository: ProviderRepository,
    private readonly client: OpenidClient,
    private readonly accounts: AccountService,
    private readonly sessions: SessionService,
    private readonly workspaceRoles: WorkspaceRoleService,
    private readonly quotas: QuotaService,
    private readonly sealer: Sealer,
    private readonly audit: AuditService,
  ) {}

  /**
   * Runs the part of a sign-in that waits for a provider, or checks what it sent, with a permit of the account.
   * @throws AppError `unavailable`, `rate_limited`
   */
  async whileSigningIn<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const release = await this.signingIn.acquire(accountId);
    try {
      return await work();
    } finally {
      release();
    }
  }

  async listOf(accountId: string): Promise<ProviderView[]> {
    return (await this.repository.listOf(accountId)).map(viewOf);
  }

  /**
   * Lists providers for people with an email address, by its domain alone: what is returned does not tell whether
   * the address is that of a user.
   */
  async listFor(email: string): Promise<OfferedProvider[]> {
    const domain = domainOf(email);
    return this.repository.listOfDomain([domain, shownDomain(domain)]);
  }

  /** @throws AppError `not_found` */
  async get(id: string): Promise<ProviderRecord> {
    const provider = isUuid(id) ? await this.repository.findById(id) : null;
    if (!provider) throw notFound('Provider');
    return provider;
  }

  /** @throws AppError `not_found` */
  async getIn(accountId: string, id: string): Promise<ProviderRecord> {
    const provider = isUuid(id) ? await this.repository.findIn(accountId, id) : null;
    if (!provider) throw notFound('Provider');
    return provider;
  }

  /** Opens the client secret. @throws AppError `unavailable` if the key is missing that sealed it. */
  secretOf({ id, clientSecret }: ProviderRecord): string {
    if (clientSecret === null) return '';
    try {
      return this.sealer.open(clientSecret, providerSecretPlace(id)).toString();
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      throw unavailable('The secret of the provider cannot be opened. Ask the operator.', error);
    }
  }

  /**
   * Creates a provider after it has answered with its metadata.
   * @param isAllowed Called before the write, because the answer can take long.
   * @throws AppError `conflict` if it does not, or the account has too many.
   */
  async create(
    accountId: string,
    settings: ProviderSettings,
    by: Actor,
    isAllowed: () => Promise<void>,
  ): Promise<ProviderView> {
    const { clientSecret, ...rest } = settings;
    await this.requireWorkspaces(accountId, settings.groupRoles);
    await this.check(settings);
    await isAllowed();
    const id = newId();
    const sealed = this.sealer.seal(Buffer.from(clientSecret), providerSecretPlace(id));
    return this.add(
      {
        ...{ ...rest, id, accountId, kind: 'openid', clientSecret: sealed, createdAt: new Date() },
        ...{ ssoUrl: null, certificates: [] },
      },
      by,
    );
  }

  /** Stores a new provider. @throws AppError `conflict` if the account has too many. */
  async add(provider: ProviderRecord, by: Actor): Promise<ProviderView> {
    const { accountId } = provider;
    await this.database.transaction(async () => {
      await this.quotas.lock(accountId);
      if ((await this.repository.listOf(accountId)).length >= MAX_PROVIDERS)
        throw conflict(`This account has ${String(MAX_PROVIDERS)} providers. Remove one first.`);
      await this.repository.insert(provider);
      await this.record(provider, 'provider_created', by);
    });
    return viewOf(provider);
  }

  /**
   * Changes a provider. Another client ID ends its sessions and unbinds its persons, because the provider may know them by other
   * identifiers then: they are bound again when they sign in.
   * @param change Absent properties, such as the secret, do not change.
   * @throws AppError `not_found`; `conflict` if the provider does not answer; `unavailable`.
   */
  async update(
    accountId: string,
    id: string,
    change: Partial<ProviderSettings>,
    by: Actor,
    isAllowed: () => Promise<void>,
  ): Promise<ProviderView> {
    const before = await this.getIn(accountId, id);
    if (before.kind !== 'openid') throw notFound('Provider');
    const { clientSecret, ...rest } = change;
    await this.requireWorkspaces(accountId, change.groupRoles ?? []);
    const settings = { issuer: before.issuer, clientId: rest.clientId ?? before.clientId ?? '' };
    await this.check({ ...settings, clientSecret: clientSecret ?? this.secretOf(before) });
    await isAllowed();
    const place = providerSecretPlace(id);
    const sealed =
      clientSecret === undefined
        ? {}
        : { clientSecret: this.sealer.seal(Buffer.from(clientSecret), place) };
    return this.change(before, { ...rest, ...sealed }, Object.keys(change), by);
  }

  /**
   * Stores a change. Ends the sign-ins that have begun at a SAML provider, and its sessions if a certificate is removed,
   * whose key may be stolen.
   * @param properties Names of what changes.
   * @throws AppError `not_found`
   */
  async change(
    before: ProviderRecord,
    change: Partial<ProviderRecord>,
    properties: readonly string[],
    by: Actor,
  ): Promise<ProviderView> {
    const { id } = before;
    const after = { ...before, ...change };
    await this.database.transaction(async () => {
      await this.repository.lock(id);
      const stored = await this.repository.findById(id);
      if (!(await this.repository.update(id, { name: after.name, ...change })))
        throw notFound('Provider');
      if (after.clientId !== before.clientId) {
        await this.repository.unbindAll(id);
        // Logouts would name the new client.
        await this.sessions.endOfProvider(id);
      }
      if (stored && lacksOneOf(stored, change.certificates ?? stored.certificates))
        await this.sessions.endOfProvider(id);
      if (before.kind === 'saml' || after.clientId !== before.clientId)
        await this.repository.dropSignIns(id);
      await this.record(after, 'provider_updated', by, [...properties].sort());
    });
    return viewOf(after);
  }

  /**
   * Removes a provider, and ends the sessions that it started.
   * @throws AppError `not_found`; `conflict` if users could then not sign in anymore.
   */
  async remove(accountId: string, id: string, by: Actor): Promise<void> {
    const provider = await this.getIn(accountId, id);
    await this.database.transaction(async () => {
      await this.quotas.lock(accountId);
      const { exemptUserId } = await this.accounts.get(accountId);
      if (exemptUserId !== null && (await this.repository.listOf(accountId)).length === 1) {
        throw conflict(
          'This account requires single sign-on and has no other provider. Stop requiring it first.',
        );
      }
      await this.repository.lock(id);
      await this.sessions.endOfProvider(id);
      await this.repository.delete(id);
      await this.record(provider, 'provider_deleted', by);
    });
  }

  /** @throws AppError `invalid_request` for an unknown workspace. */
  private async requireWorkspaces(
    accountId: string,
    groupRoles: readonly GroupRole[],
  ): Promise<void> {
    const ids = groupRoles.flatMap((each) => ('workspaceId' in each ? [each.workspaceId] : []));
    await this.workspaceRoles.requireWorkspaces(accountId, ids, 'groupRoles');
  }

  private async check(
    settings: Pick<ProviderSettings, 'issuer' | 'clientId' | 'clientSecret'>,
  ): Promise<void> {
    try {
      await this.client.check(settings);
    } catch (error) {
      if (error instanceof ProviderError) throw conflict(error.message);
      throw error;
    }
  }

  private async record(
    { id, accountId, name, issuer }: ProviderRecord,
    action: 'provider_created' | 'provider_updated' | 'provider_deleted',
    by: Actor,
    properties: readonly string[] = [],
  ): Promise<void> {
    const target = auditTarget('provider', id, name);
    const details = { issuer, ...(properties.length > 0 && { properties: properties.join(', ') }) };
    await this.audit.record(accountId, by, action, target, { details });
  }
}

/** Returns whether a provider has a certificate that is not one of others. */
export const lacksOneOf = (
  { certificates }: { readonly certificates: readonly string[] },
  others: readonly string[],
): boolean => certificates.some((each) => !others.includes(each));

function viewOf(provider: ProviderRecord): ProviderView {
  const { id, kind, name, issuer, clientId, ssoUrl } = provider;
  const { newUserRole, newUserDomains, trustsEmail, createdAt } = provider;
  const { groupsClaim, groupRoles } = provider;
  const certificates = certificatesOf(provider.certificates).map(
    ({ pem, fingerprint, expiresAt }) => ({ pem, fingerprint, expiresAt }),
  );
  return {
    ...{ id, kind, name, issuer, clientId, ssoUrl, certificates },
    ...{ newUserRole, newUserDomains, trustsEmail, createdAt, groupsClaim, groupRoles },
  };
}
