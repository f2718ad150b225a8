import { Injectable } from '@nestjs/common';
import { CallerService } from '../../auth/caller.service';
import { linkBase } from '../../auth/link-base';
import type { GroupRole } from '../../auth/provider/group-role';
import { shownDomain } from '../../auth/provider/person-address';
import {
  LogoutTokenError,
  ProviderLogoutService,
} from '../../auth/provider/provider-logout.service';
import {
  providerPage,
  ProviderService,
  type ProviderView,
} from '../../auth/provider/provider.service';
import { ProviderSignInService, signInOver } from '../../auth/provider/provider-sign-in.service';
import { type SamlParty, samlParty } from '../../auth/provider/saml-party';
import { createSecretToken } from '../../auth/secret-token';
import type { Caller } from '../../common/caller/app-request';
import { JsonResponse } from '../../common/envelope/json-response';
import { AppError, invalidField, notFound } from '../../common/error/app-error';
import type { Role } from '../../common/permission/permission';
import { AppConfig } from '../../platform/config/app-config';
import { CONSOLE_API } from '../../platform/http/rewrite-console-url';
import { wholeList } from '../path-parameters';
import { Reauthentication } from '../session/reauthentication';
import type { ProofDto } from '../session/session.dto';
import { SignInLimits } from '../session/sign-in-limits';
import { SignInMetrics } from '../session/sign-in-metrics';
import { type SessionView, SignInService } from '../session/sign-in.service';
import type { Visit } from '../visit';
import type {
  CreateProviderDto,
  ProviderResponseDto,
  ProviderSearchDto,
  UpdateProviderDto,
} from './provider.dto';

export type { ProviderView };

const DEFAULT_GROUPS_CLAIM = 'groups';

/** A provider with what its administrator must enter, for owners. */
export interface OwnProviderView extends ProviderView {
  /** Of a SAML provider: the URL that receives responses. */
  readonly redirectUri: string;
  /** Entity ID of the service, at which its metadata are; `null` for an OpenID provider. */
  readonly entityId: string | null;
  /** Where the provider reports that a person has signed out there; `null` for a SAML provider. */
  readonly logoutUri: string | null;
  /** Page on which users sign in by the provider. */
  readonly signInUrl: string;
}

/** Where a browser goes to sign in. */
export interface SignInUrl {
  readonly url: string;
}

/** What a browser shows of a provider before a sign-in. */
export interface ShownProvider {
  readonly id: string;
  readonly name: string;
  /** Host of its issuer or sign-on URL, because anybody can choose a name. */
  readonly host: string;
}

/** Identity providers of the account, for its owners, and sign-ins by them. */
@Injectable()
export class ConsoleProviderService {
  constructor(
    private readonly config: AppConfig,
    private readonly providers: ProviderService,
    private readonly providerSignIns: ProviderSignInService,
    private readonly logouts: ProviderLogoutService,
    private readonly callers: CallerService,
    private readonly reauthentication: Reauthentication,
    private readonly signIns: SignInService,
    private readonly limits: SignInLimits,
    private readonly metrics: SignInMetrics,
  ) {}

  async list({ accountId }: Caller, visit: Visit): Promise<JsonResponse> {
    const providers = await this.providers.listOf(accountId);
    return wholeList(providers.map((provider) => this.view(provider, visit)));
  }

  /** @throws as `Reauthentication.require`; `conflict` if the provider does not respond, or PUBLIC_URL is missing. */
  async create(caller: Caller, body: CreateProviderDto, visit: Visit): Promise<OwnProviderView> {
    this.requireUrls(visit);
    await this.reauthentication.require(caller, body, visit);
    const { name, issuer, clientId, clientSecret, newUserRole = null, trustsEmail = false } = body;
    const { groupsClaim = DEFAULT_GROUPS_CLAIM, groupRoles = [] } = body;
    const newUserDomains = (body.newUserDomains ?? []).map(shownDomain);
    requireDomains(newUserRole, newUserDomains);
    const settings = {
      ...{ name, issuer, clientId, clientSecret, newUserRole, newUserDomains, trustsEmail },
      ...{ groupsClaim, groupRoles: groupRoles.map(withFoldedId) },
    };
    const { accountId } = caller;
    return this.view(
      await this.providers.create(accountId, settings, caller, this.stillOwner(caller)),
      visit,
    );
  }

  /** @throws AppError `not_found`; as `create`. */
  async update(
    caller: Caller,
    id: string,
    body: UpdateProviderDto,
    visit: Visit,
  ): Promise<OwnProviderView> {
    const before = await this.providers.getIn(caller.accountId, id);
    await this.reauthentication.require(caller, body, visit);
    const { name, clientId, clientSecret, newUserRole, newUserDomains, trustsEmail } = body;
    const { groupsClaim, groupRoles } = body;
    const change = {
      ...(name !== undefined && { name }),
      ...(clientId !== undefined && { clientId }),
      ...(clientSecret !== undefined && { clientSecret }),
      ...(newUserRole !== undefined && { newUserRole }),
      ...(newUserDomains !== undefined && { newUserDomains: newUserDomains.map(shownDomain) }),
      ...(trustsEmail !== undefined && { trustsEmail }),
      ...(groupsClaim !== undefined && { groupsClaim }),
      ...(groupRoles && { groupRoles: groupRoles.map(withFoldedId) }),
    };
    const after = { ...before, ...change };
    requireDomains(after.newUserRole, after.newUserDomains);
    const { accountId } = caller;
    return this.view(
      await this.providers.update(accountId, id, change, caller, this.stillOwner(caller)),
      visit,
    );
  }

  /** @throws AppError `not_found`; as `Reauthentication.require`. */
  async remove(caller: Caller, id: string, proof: ProofDto, visit: Visit): Promise<void> {
    await this.providers.getIn(caller.accountId, id);
    await this.reauthentication.require(caller, proof, visit);
    await this.stillOwner(caller)();
    await this.providers.remove(caller.accountId, id, caller);
  }

  /** @throws AppError `not_found` */
  async get(id: string): Promise<ShownProvider> {
    const [provider] = shown(await this.providers.get(id));
    if (!provider) throw notFound('Provider');
    return provider;
  }

  /** Lists the providers that a person can sign in by. The same for all addresses of a domain. */
  async search({ email }: ProviderSearchDto): Promise<JsonResponse> {
    return wholeList((await this.providers.listFor(email)).flatMap(shown));
  }

  /** Begins a sign-in. The cookie makes sure that the same browser completes it. */
  async begin(id: string, visit: Visit): Promise<SignInUrl> {
    visit.requireSameOrigin(this.config.publicUrl);
    // Another tab may have begun one.
    const browser = visit.signInToken ?? createSecretToken();
    const begun = this.providerSignIns.begin(
      ...([id, browser, this.redirectUri(id, visit), this.party(id, visit)] as const),
      this.limits.holderOf(visit.client.address),
    );
    const url = await this.counting(begun);
    visit.keepSignIn(browser, this.config.publicUrl);
    return { url };
  }

  /** Completes a sign-in with a new session. @throws as `ProviderSignInService.complete` */
  async complete(id: string, { query }: ProviderResponseDto, visit: Visit): Promise<SessionView> {
    visit.requireSameOrigin(this.config.publicUrl);
    const response = new URL(this.redirectUri(id, visit));
    response.search = query;
    const browser = visit.signInToken ?? createSecretToken();
    const proven = await this.counting(this.providerSignIns.complete(id, browser, response));
    const requireBound = async (): Promise<void> => {
      if (!(await this.providerSignIns.isStillBound(proven))) throw signInOver();
    };
    const session = await this.signIns.enter(
      ...([proven, 'provider', requireBound, visit, proven.confirmedBy] as const),
    );
    visit.forgetSignIn(this.config.publicUrl);
    return session;
  }

  /**
   * Ends the sessions of a person who has signed out at the provider. Responds as OAuth 2.0 does.
   * @throws AppError `not_found`, `unavailable`, `rate_limited`
   */
  async logOut(id: string, form: URLSearchParams): Promise<JsonResponse> {
    const [token = '', another] = form.getAll('logout_token');
    try {
      if (another !== undefined) throw new LogoutTokenError('logout_token must appear once.');
      await this.logouts.logOut(id, token);
      return JsonResponse.complete(200, {}, null);
    } catch (error) {
      if (!(error instanceof LogoutTokenError)) throw error;
      const body = { error: 'invalid_request', error_description: error.message };
      return JsonResponse.complete(400, {}, JSON.stringify(body));
    }
  }

  /** Counts a failure of a provider. */
  private async counting<T>(signIn: Promise<T>): Promise<T> {
    try {
      return await signIn;
    } catch (error) {
      if (error instanceof AppError && error.code === 'conflict') {
        this.metrics.ended('provider_failed');
      }
      throw error;
    }
  }

  /** Requires that the URLs for the provider are known, before anything is stored. @throws AppError `conflict` */
  requireUrls(visit: Visit): void {
    linkBase(this.config, visit.origin);
  }

  /** Returns a check that the caller is still an owner. */
  stillOwner(caller: Caller): () => Promise<void> {
    return () => this.callers.requireStill(caller, 'users:write');
  }

  /** Returns what owners see of a provider. */
  view(provider: ProviderView, visit: Visit): OwnProviderView {
    const { id, kind } = provider;
    const base = linkBase(this.config, visit.origin);
    const signInUrl = providerPage(base, id);
    const { entityId, acsUrl } = this.party(id, visit);
    if (kind === 'saml')
      return { ...provider, signInUrl, redirectUri: acsUrl, entityId, logoutUri: null };
    const redirectUri = this.redirectUri(id, visit);
    const logoutUri = `${base}/${CONSOLE_API}/providers/${id}/logout`;
    return { ...provider, signInUrl, redirectUri, entityId: null, logoutUri };
  }

  /** Returns what a SAML provider must know of the service. */
  party(id: string, visit: Visit): SamlParty {
    return samlParty(linkBase(this.config, visit.origin), id);
  }

  /** Returns the URL of the page that completes a sign-in. */
  redirectUri(id: string, visit: Visit): string {
    return `${providerPage(linkBase(this.config, visit.origin), id)}/callback`;
  }
}

/** Leaves out a provider whose URL cannot be parsed: one must not hide the others. */
function shown(provider: Pick<ProviderView, 'id' | 'name' | 'issuer' | 'ssoUrl'>): ShownProvider[] {
  const { id, name, issuer, ssoUrl } = provider;
  // The entity ID of a SAML provider need not be a URL.
  const url = ssoUrl ?? issuer;
  return URL.canParse(url) ? [{ id, name, host: new URL(url).host }] : [];
}

const withFoldedId = (given: GroupRole): GroupRole =>
  'workspaceId' in given ? { ...given, workspaceId: given.workspaceId.toLowerCase() } : given;

/** New users need a rule: at a public provider, anybody can have an address. */
export function requireDomains(role: Role | null, domains: readonly string[]): void {
  if (role === null || domains.length > 0) return;
  throw invalidField('newUserDomains', 'required', 'is required with newUserRole');
}
