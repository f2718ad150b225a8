import { Injectable } from '@nestjs/common';
import { shownDomain } from '../../auth/provider/person-address';
import type { SamlMetadata } from '../../auth/provider/saml-metadata';
import { metadataOf } from '../../auth/provider/saml-party';
import { SamlProviderService } from '../../auth/provider/saml-provider.service';
import { SamlSignInService } from '../../auth/provider/saml-sign-in.service';
import type { Caller } from '../../common/caller/app-request';
import { JsonResponse } from '../../common/envelope/json-response';
import { invalidField } from '../../common/error/app-error';
import { AppConfig } from '../../platform/config/app-config';
import { LIMITS } from '../../platform/fairness/limits';
import { CheckPermits } from '../../platform/throttling/check-permits';
import { RateCounters } from '../../platform/throttling/rate-counters';
import { Reauthentication } from '../session/reauthentication';
import type { Visit } from '../visit';
import {
  ConsoleProviderService,
  type OwnProviderView,
  requireDomains,
} from './console-provider.service';
import type { CreateSamlProviderDto, SamlMetadataDto, UpdateSamlProviderDto } from './saml.dto';

export type { SamlMetadata };

/** SAML providers of the account, for its owners, and the responses of these providers. */
@Injectable()
export class ConsoleSamlService {
  private readonly reads: CheckPermits;

  constructor(
    private readonly providers: SamlProviderService,
    private readonly signIns: SamlSignInService,
    private readonly console: ConsoleProviderService,
    private readonly reauthentication: Reauthentication,
    config: AppConfig,
    counters: RateCounters,
  ) {
    this.reads = new CheckPermits(LIMITS.samlMetadata, config, counters);
  }

  /**
   * Reads metadata, so that an owner need not enter what they say.
   * @throws AppError `conflict`, `rate_limited`, `unavailable`
   */
  async readMetadata({ accountId }: Caller, { xml, url }: SamlMetadataDto): Promise<SamlMetadata> {
    if ((xml === undefined) === (url === undefined))
      throw invalidField('xml', 'required', 'is required without url, and only then');
    const source = xml === undefined ? { url: url ?? '' } : { xml };
    const release = await this.reads.acquire(accountId);
    try {
      return await this.providers.readMetadata(accountId, source);
    } finally {
      release();
    }
  }

  /** @throws as `Reauthentication.require`; `invalid_request`, `conflict`. */
  async create(
    caller: Caller,
    body: CreateSamlProviderDto,
    visit: Visit,
  ): Promise<OwnProviderView> {
    this.console.requireUrls(visit);
    await this.reauthentication.require(caller, body, visit);
    const { name, issuer, ssoUrl, certificates, newUserRole = null, trustsEmail = false } = body;
    const newUserDomains = (body.newUserDomains ?? []).map(shownDomain);
    requireDomains(newUserRole, newUserDomains);
    const rules = { newUserRole, newUserDomains, trustsEmail };
    const settings = { name, issuer, ssoUrl, certificates, ...rules };
    await this.console.stillOwner(caller)();
    const provider = await this.providers.create(caller.accountId, settings, caller);
    return this.console.view(provider, visit);
  }

  /** @throws AppError `not_found`; as `create`. */
  async update(
    caller: Caller,
    id: string,
    body: UpdateSamlProviderDto,
    visit: Visit,
  ): Promise<OwnProviderView> {
    const before = await this.providers.getIn(caller.accountId, id);
    await this.reauthentication.require(caller, body, visit);
    const { name, ssoUrl, certificates, newUserRole, newUserDomains, trustsEmail } = body;
    const change = {
      ...(name !== undefined && { name }),
      ...(ssoUrl !== undefined && { ssoUrl }),
      ...(certificates !== undefined && { certificates }),
      ...(newUserRole !== undefined && { newUserRole }),
      ...(newUserDomains !== undefined && { newUserDomains: newUserDomains.map(shownDomain) }),
      ...(trustsEmail !== undefined && { trustsEmail }),
    };
    const after = { ...before, ...change };
    requireDomains(after.newUserRole, after.newUserDomains);
    await this.console.stillOwner(caller)();
    const provider = await this.providers.update(caller.accountId, id, change, caller);
    return this.console.view(provider, visit);
  }

  /** Returns the metadata of the service for a provider. @throws AppError `not_found` */
  async metadata(id: string, visit: Visit): Promise<JsonResponse> {
    await this.providers.get(id);
    const headers = { 'Content-Type': 'application/samlmetadata+xml; charset=utf-8' };
    return JsonResponse.complete(200, headers, metadataOf(this.console.party(id, visit), id));
  }

  /** Takes the response of a provider, and sends the browser to the page that completes the sign-in. */
  async receive(id: string, form: URLSearchParams, visit: Visit): Promise<JsonResponse> {
    const fields = {
      samlResponse: form.get('SAMLResponse') ?? '',
      relayState: form.get('RelayState') ?? '',
    };
    const query = await this.signIns.receive(id, fields, this.console.party(id, visit));
    const location = `${this.console.redirectUri(id, visit)}?${query.toString()}`;
    return JsonResponse.complete(303, { Location: location }, null);
  }
}
