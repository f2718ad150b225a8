import { Injectable } from '@nestjs/common';
import {
  type AuthorizationView,
  OauthAuthorizationService,
} from '../../auth/oauth/authorization.service';
import type { GrantRecord } from '../../auth/oauth/grant.repository';
import { OauthGrantService } from '../../auth/oauth/grant.service';
import { keyAccessOf } from '../../auth/api-key/key-access';
import { CallerService } from '../../auth/caller.service';
import type { Caller } from '../../common/caller/app-request';
import { JsonResponse } from '../../common/envelope/json-response';
import type { PageRequest } from '../../common/paging/page-request';
import { DatabaseGate } from '../../platform/database/database-gate';
import { wholeList } from '../path-parameters';
import type { Visit } from '../visit';
import type { AuthorizationQueryDto, AuthorizeDto } from './application.dto';

export type { AuthorizationView };

/** Response to a user who has allowed a request. */
export interface Authorized {
  /** Leads back to the application. */
  readonly url: string;
}

/** An application that has access, with its user. Times are printed as RFC 3339. */
export type ApplicationView = Omit<GrantRecord, 'userId' | 'accountId' | 'email'> & {
  readonly user: { readonly id: string; readonly email: string };
};

/** Applications that ask users for access, and those that have it. */
@Injectable()
export class ConsoleApplicationService {
  constructor(
    private readonly callers: CallerService,
    private readonly authorizations: OauthAuthorizationService,
    private readonly grants: OauthGrantService,
    private readonly gate: DatabaseGate,
  ) {}

  /** Lists the applications that the user has authorized, newest first. */
  async list({ userId }: Caller): Promise<JsonResponse> {
    return wholeList((await this.grants.listOfUser(userId)).map(view));
  }

  /** Lists a page of the applications that all users of the account have authorized, newest first. */
  async listOfAccount({ accountId }: Caller, page: PageRequest): Promise<JsonResponse> {
    const offset = (page.page - 1) * page.limit;
    const { grants, total } = await this.grants.listOfAccount(accountId, offset, page.limit);
    return JsonResponse.page(grants.map(view), total, page);
  }

  /** @throws AppError as `OauthAuthorizationService.describe` */
  async describe(
    caller: Caller,
    { query }: AuthorizationQueryDto,
    visit: Visit,
  ): Promise<AuthorizationView> {
    return this.authorizations.describe(caller, query, visit.origin);
  }

  /** @throws AppError as `OauthAuthorizationService.read` and `authorize` */
  async authorize(caller: Caller, body: AuthorizeDto, visit: Visit): Promise<Authorized> {
    const { query, scopes, workspaceIds = null, datagridIds = null, lifetimeDays } = body;
    const request = await this.authorizations.read(caller, query, visit.origin);
    const choice = { scopes, workspaceIds, datagridIds, lifetimeDays };
    return this.gate.run(caller.accountId, async () => {
      // The user may have been suspended, or the session ended, while the application was read.
      await this.callers.requireStill(caller, 'self:write');
      return { url: await this.authorizations.authorize(caller, request, choice) };
    });
  }

  /** @throws AppError `not_found` */
  async revoke(caller: Caller, id: string): Promise<void> {
    await this.grants.revoke(id, caller, { userId: caller.userId });
  }

  /** @throws AppError `not_found` */
  async revokeOfAccount(caller: Caller, id: string): Promise<void> {
    await this.grants.revoke(id, caller, { accountId: caller.accountId });
  }
}

function view(grant: GrantRecord): ApplicationView {
  const { id, name, clientId, documentHost, redirectUri, audience } = grant;
  const { createdAt, lastUsedAt, expiresAt } = grant;
  const application = { id, name, clientId, documentHost, redirectUri, audience };
  const user = { id: grant.userId, email: grant.email };
  return { ...application, ...keyAccessOf(grant), createdAt, lastUsedAt, expiresAt, user };
}
