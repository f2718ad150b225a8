import { Injectable } from '@nestjs/common';
import { CallerService } from '../../auth/caller.service';
import { readExpiry } from '../../auth/expiry';
import { linkBase } from '../../auth/link-base';
import { type ScimTokenRecord, ScimTokenService } from '../../auth/scim-token/scim-token.service';
import type { Caller } from '../../common/caller/app-request';
import { JsonResponse } from '../../common/envelope/json-response';
import { invalidField } from '../../common/error/app-error';
import type { PageRequest } from '../../common/paging/page-request';
import { DAY_MS } from '../../common/time/day';
import { AppConfig } from '../../platform/config/app-config';
import { SCIM_API } from '../../platform/http/error-form';
import { ScimGroupMappingService, type MappedGroup } from '../../scim/scim-group-mapping.service';
import { wholeList } from '../path-parameters';
import { Reauthentication } from '../session/reauthentication';
import type { ProofDto } from '../session/session.dto';
import type { Visit } from '../visit';
import type { CreateScimTokenDto, MapGroupDto } from './scim.dto';

/** A year, with the day that a leap year has more. */
const MAX_LIFE_MS = 366 * DAY_MS;

/** A token of a directory, for owners. Times are printed as RFC 3339. */
export interface ScimTokenView extends Omit<ScimTokenRecord, 'accountId'> {
  readonly isExpired: boolean;
}

/** A new token. Only this response contains it. */
export interface NewScimTokenView extends ScimTokenView {
  readonly token: string;
  /** Address of SCIM, for the administrator of the directory. */
  readonly url: string;
}

/** Provisioning of the account by the directory of its company, for owners. */
@Injectable()
export class ConsoleScimService {
  constructor(
    private readonly config: AppConfig,
    private readonly tokens: ScimTokenService,
    private readonly mappings: ScimGroupMappingService,
    private readonly callers: CallerService,
    private readonly reauthentication: Reauthentication,
  ) {}

  /** Lists all tokens, newest first. */
  async tokensOf({ accountId }: Caller): Promise<JsonResponse> {
    return wholeList((await this.tokens.listOf(accountId)).reverse().map(viewOf));
  }

  /** @throws as `Reauthentication.require`; AppError `invalid_request`; `quota_exceeded` */
  async createToken(
    caller: Caller,
    body: CreateScimTokenDto,
    visit: Visit,
  ): Promise<NewScimTokenView> {
    const url = `${linkBase(this.config, visit.origin)}/${SCIM_API}`;
    const expiresAt = readExpiry(body.expiresAt);
    if (expiresAt && expiresAt.getTime() > Date.now() + MAX_LIFE_MS)
      throw invalidField('expiresAt', 'out_of_range', 'must be at most a year from now');
    await this.reauthentication.require(caller, body, visit);
    await this.stillOwner(caller);
    const { accountId } = caller;
    const { token, record } = await this.tokens.create(accountId, body.name, expiresAt, caller);
    return { ...viewOf(record), token, url };
  }

  /** @throws as `Reauthentication.require`; AppError `not_found` */
  async revokeToken(caller: Caller, id: string, proof: ProofDto, visit: Visit): Promise<void> {
    await this.tokens.getIn(caller.accountId, id);
    await this.reauthentication.require(caller, proof, visit);
    await this.stillOwner(caller);
    await this.tokens.revoke(caller.accountId, id, caller);
  }

  /** Returns a page of the groups, oldest first. */
  async groupsOf({ accountId }: Caller, page: PageRequest): Promise<JsonResponse> {
    const { groups, total } = await this.mappings.list(
      ...([accountId, (page.page - 1) * page.limit, page.limit] as const),
    );
    return JsonResponse.page(groups, total, page);
  }

  /** @throws AppError `not_found`; `invalid_request` for an unknown workspace. */
  async mapGroup(caller: Caller, id: string, body: MapGroupDto): Promise<MappedGroup> {
    const { role, workspaceRoles } = body;
    const { accountId } = caller;
    return this.mappings.map(accountId, id, { role, workspaceRoles }, caller, () =>
      this.stillOwner(caller),
    );
  }

  private async stillOwner(caller: Caller): Promise<void> {
    await this.callers.requireStill(caller, 'users:write');
  }
}

function viewOf({ accountId: _accountId, ...record }: ScimTokenRecord): ScimTokenView {
  const { expiresAt } = record;
  return { ...record, isExpired: expiresAt !== null && expiresAt.getTime() <= Date.now() };
}
