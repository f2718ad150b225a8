import { Injectable } from '@nestjs/common';
import { linkBase } from '../../auth/link-base';
import { ProviderService, type ProviderView } from '../../auth/provider/provider.service';
import { ProviderSignInService } from '../../auth/provider/provider-sign-in.service';
import { createSecretToken, isSecretToken } from '../../auth/secret-token';
import type { Caller } from '../../common/caller/app-request';
import type { JsonResponse } from '../../common/envelope/json-response';
import { AppConfig } from '../../platform/config/app-config';
import { wholeList } from '../path-parameters';
import { Reauthentication } from '../session/reauthentication';
import type { ProofDto } from '../session/session.dto';
import { type SessionView, SignInService } from '../session/sign-in.service';
import type { Visit } from '../visit';
import type { CreateProviderDto, ProviderResponseDto, UpdateProviderDto } from './provider.dto';

export type { ProviderView };

/** A provider with what its administrator must enter, for owners. */
export interface OwnProviderView extends ProviderView {
  readonly redirectUri: string;
  /** Page on which users sign in by the provider. */
  readonly signInUrl: string;
}

/** Where a browser goes to sign in. */
export interface SignInUrl {
  readonly url: string;
}

/** Name of a provider, for its button. */
export interface ProviderName {
  readonly name: string;
}

/** OpenID providers of the account, for its owners, and sign-ins by them. */
@Injectable()
export class ConsoleProviderService {
  constructor(
    private readonly config: AppConfig,
    private readonly providers: ProviderService,
    private readonly providerSignIns: ProviderSignInService,
    private readonly reauthentication: Reauthentication,
    private readonly signIns: SignInService,
  ) {}

  async list({ accountId }: Caller, visit: Visit): Promise<JsonResponse> {
    const providers = await this.providers.listOf(accountId);
    return wholeList(providers.map((provider) => this.view(provider, visit)));
  }

  /** @throws as `Reauthentication.require`; `conflict` if the provider does not answer. */
  async create(caller: Caller, body: CreateProviderDto, visit: Visit): Promise<OwnProviderView> {
    await this.reauthentication.require(caller, body, visit);
    const { name, issuer, clientId, clientSecret, newUserRole = null, trustsEmail = false } = body;
    const settings = { name, issuer, clientId, clientSecret, newUserRole, trustsEmail };
    return this.view(await this.providers.create(caller.accountId, settings, caller), visit);
  }

  /** @throws AppError `not_found`; as `create`. */
  async update(
    caller: Caller,
    id: string,
    body: UpdateProviderDto,
    visit: Visit,
  ): Promise<OwnProviderView> {
    await this.providers.getIn(caller.accountId, id);
    await this.reauthentication.require(caller, body, visit);
    const { name, clientId, clientSecret, newUserRole, trustsEmail } = body;
    const change = {
      ...(name !== undefined && { name }),
      ...(clientId !== undefined && { clientId }),
      ...(clientSecret !== undefined && { clientSecret }),
      ...(newUserRole !== undefined && { newUserRole }),
      ...(trustsEmail !== undefined && { trustsEmail }),
    };
    return this.view(await this.providers.update(caller.accountId, id, change, caller), visit);
  }

  /** @throws AppError `not_found`; as `Reauthentication.require`. */
  async remove(caller: Caller, id: string, proof: ProofDto, visit: Visit): Promise<void> {
    await this.providers.getIn(caller.accountId, id);
    await this.reauthentication.require(caller, proof, visit);
    await this.providers.remove(caller.accountId, id, caller);
  }

  /** @throws AppError `not_found` */
  async nameOf(id: string): Promise<ProviderName> {
    const { name } = await this.providers.get(id);
    return { name };
  }

  /** Begins a sign-in. The cookie makes sure that the same browser completes it. */
  async begin(id: string, visit: Visit): Promise<SignInUrl> {
    visit.requireSameOrigin(this.config.publicUrl);
    const browser = createSecretToken();
    const url = await this.providerSignIns.begin(id, browser, this.redirectUri(id, visit));
    visit.keepSignIn(browser, this.config.publicUrl);
    return { url };
  }

  /** Completes a sign-in with a new session. @throws as `ProviderSignInService.complete` */
  async complete(id: string, { query }: ProviderResponseDto, visit: Visit): Promise<SessionView> {
    visit.requireSameOrigin(this.config.publicUrl);
    const browser = visit.signInToken ?? '';
    visit.forgetSignIn(this.config.publicUrl);
    const response = new URL(this.redirectUri(id, visit));
    response.search = query;
    const token = isSecretToken(browser) ? browser : createSecretToken();
    const { providerId, ...user } = await this.providerSignIns.complete(id, token, response);
    return this.signIns.enter(user, 'provider', () => Promise.resolve(true), visit, providerId);
  }

  private view(provider: ProviderView, visit: Visit): OwnProviderView {
    const signInUrl = `${linkBase(this.config, visit.origin)}/sign-in/${provider.id}`;
    return { ...provider, signInUrl, redirectUri: this.redirectUri(provider.id, visit) };
  }

  private redirectUri(id: string, visit: Visit): string {
    return `${linkBase(this.config, visit.origin)}/sign-in/${id}/callback`;
  }
}
