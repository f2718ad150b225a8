import { Injectable } from '@nestjs/common';
import type { Audience, Caller } from '../../common/caller/app-request';
import { AppError, notFound } from '../../common/error/app-error';
import type { Scope } from '../../common/permission/scope';
import { isUuid, newId } from '../../common/text/id';
import { DAY_MS } from '../../common/time/day';
import { ChangeListener } from '../../platform/database/change-listener';
import { Database } from '../../platform/database/database';
import { accessDetails } from '../api-key/key-access';
import { KeyAccessService } from '../api-key/key-access.service';
import { type Actor, auditTarget } from '../audit/audit-action';
import { AuditService } from '../audit/audit.service';
import { KeyUsageService } from '../key-usage/key-usage.service';
import { createSecretToken, hashSecretToken } from '../secret-token';
import { UserService } from '../user/user.service';
import { OauthClientRepository } from './client.repository';
import type { OauthClient } from './client.service';
import { type GrantRecord, OauthGrantRepository } from './grant.repository';

/** Time in which an application must exchange its authorization code. */
const CODE_LIFETIME_MS = 60_000;
export const MAX_GRANTS_PER_USER = 50;
export const MAX_GRANTS_PER_ACCOUNT = 1_000;
/** Grants of a user that are over and kept, so that a second use of their codes is noticed. */
const MAX_OLD_GRANTS = 20;

/** What a user allows an application. */
export interface GrantChoice {
  readonly scopes: readonly Scope[];
  readonly workspaceIds: string[] | null;
  readonly datagridIds: string[] | null;
  readonly lifetimeDays: number;
}

/** To what a code is bound. */
export interface CodeBinding {
  readonly redirectUri: string;
  readonly resource: string;
  readonly audience: Audience;
  readonly codeChallenge: string;
}

/** Why a grant was revoked, in the audit log. */
export type RevocationReason =
  | 'by_application'
  | 'by_user'
  | 'code_reused'
  | 'refresh_token_reused';

/**
 * What users have authorized applications to do. Each grant has a hidden key: what is true of a limited key
 * is true of a grant, also on other instances.
 */
@Injectable()
export class OauthGrantService {
  constructor(
    private readonly database: Database,
    private readonly repository: OauthGrantRepository,
    private readonly clients: OauthClientRepository,
    private readonly users: UserService,
    private readonly accesses: KeyAccessService,
    private readonly usages: KeyUsageService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Creates a grant that has no token yet.
   * @returns the authorization code.
   * @throws AppError `invalid_request` if the user does not have the access themselves;
   *   `quota_exceeded`.
   */
  async create(
    caller: Caller,
    { clientId, name, documentHost }: OauthClient,
    { scopes, workspaceIds, datagridIds, lifetimeDays }: GrantChoice,
    { redirectUri, resource, audience, codeChallenge }: CodeBinding,
  ): Promise<string> {
    const { userId, accountId } = caller;
    const code = createSecretToken();
    const id = newId();
    const now = new Date();
    const expiresAt = new Date(now.getTime() + lifetimeDays * DAY_MS);
    await this.database.transaction(async () => {
      await this.users.lock(userId);
      const requested = { scopes: [...scopes], workspaceIds, datagridIds };
      const access = await this.accesses.resolve(userId, requested);
      await this.usages.forget(await this.repository.trim(userId, MAX_OLD_GRANTS));
      await this.requireRoom(userId, accountId);
      const key = {
        ...{ id, userId, name, audience, ...access },
        // Nobody has this token, and it has expired.
        ...{ hash: hashSecretToken(createSecretToken()), prefix: '', lastFour: '' },
        ...{ createdAt: now, expiresAt: now, lastUsedAt: null, revokedAt: null },
        replacedById: null,
      };
      await this.repository.insert(key, {
        ...{ id, userId, clientId, documentHost, redirectUri, resource },
        ...{ codeHash: hashSecretToken(code), codeChallenge, codeUsedAt: null },
        codeExpiresAt: new Date(now.getTime() + CODE_LIFETIME_MS),
        ...{ familyHash: null, refreshHash: null, createdAt: now, expiresAt },
      });
      const { user } = await this.users.getWithAccount(userId);
      const details = {
        ...{ user: user.email, clientId, redirectUri, resource },
        expiresAt: expiresAt.toISOString(),
        ...accessDetails(access),
      };
      const target = auditTarget('application', id, name);
      await this.audit.record(accountId, caller, 'application_authorized', target, { details });
    });
    return code;
  }

  private async requireRoom(userId: string, accountId: string): Promise<void> {
    const { ofUser, ofAccount } = await this.repository.count(userId, accountId);
    if (ofUser >= MAX_GRANTS_PER_USER) {
      const max = String(MAX_GRANTS_PER_USER);
      const message = `A user may have authorized ${max} applications. Revoke one first.`;
      throw new AppError('quota_exceeded', message);
    }
    if (ofAccount < MAX_GRANTS_PER_ACCOUNT) return;
    const max = String(MAX_GRANTS_PER_ACCOUNT);
    const message = `The users of an account may have authorized ${max} applications. Revoke one first.`;
    throw new AppError('quota_exceeded', message);
  }

  /** Lists the grants of a user that are in use, newest first. */
  async listOfUser(userId: string): Promise<GrantRecord[]> {
    return this.repository.listOfUser(userId);
  }

  /** Lists the grants of all users of an account that are in use, newest first, from `offset`. */
  async listOfAccount(
    accountId: string,
    offset: number,
    limit: number,
  ): Promise<{ readonly grants: readonly GrantRecord[]; readonly total: number }> {
    const total = await this.repository.countOfAccount(accountId);
    if (offset >= total) return { grants: [], total };
    return { grants: await this.repository.listOfAccount(accountId, offset, limit), total };
  }

  /**
   * Revokes a grant permanently. When this returns, no process accepts its token.
   * @param owner Whose the grant must be: a user, all of an account, or anybody.
   * @throws AppError `not_found`
   */
  async revoke(
    id: string,
    by: Actor,
    owner: Partial<Pick<GrantRecord, 'userId' | 'accountId'>>,
  ): Promise<void> {
    const grant = await this.repository.find(id);
    const { userId = grant?.userId, accountId = grant?.accountId } = owner;
    if (!grant || grant.userId !== userId || grant.accountId !== accountId)
      throw notFound('Application');
    await this.database.transaction(() => this.revokeLocked(grant, by, 'by_user'));
    await ChangeListener.waitUntilPropagated();
  }

  /** Revokes a grant, and records why. Use inside a transaction. */
  async revokeLocked(
    {
      id,
      accountId,
      email,
      name,
      clientId,
    }: Pick<GrantRecord, 'id' | 'accountId' | 'email' | 'name' | 'clientId'>,
    by: Actor,
    reason: RevocationReason,
  ): Promise<void> {
    if (!(await this.repository.revoke(id))) return;
    if (isUuid(clientId)) await this.clients.release(clientId);
    const details = { user: email, clientId, reason };
    const target = auditTarget('application', id, name);
    await this.audit.record(accountId, by, 'application_revoked', target, { details });
  }
}
