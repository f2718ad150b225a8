import { Injectable } from '@nestjs/common';
import type { ScimCaller } from '../../common/caller/app-request';
import { AppError, notFound } from '../../common/error/app-error';
import { isUuid, newId } from '../../common/text/id';
import { Database } from '../../platform/database/database';
import { Logger } from '../../platform/logging/logger';
import { type Actor, auditTarget } from '../audit/audit-action';
import { AuditService } from '../audit/audit.service';
import { QuotaService } from '../quota/quota.service';
import { createSecretToken, hashSecretToken } from '../secret-token';
import {
  LAST_USED_EVERY_SECONDS,
  LastUse,
  secondsUntilLastUseIsDue,
} from '../session/session.service';
import { ScimTokenRepository, type ScimTokenRow } from './scim-token.repository';

/** A directory needs one, and a second one while it changes from one to the other. */
export const MAX_SCIM_TOKENS = 5;

const PREFIX = 'ms_';
const SHAPE = /^ms_[\w-]{43}$/;

/** A token without its hash. */
export type ScimTokenRecord = Omit<ScimTokenRow, 'hash'>;

export interface CreatedScimToken {
  /** The full token. It is returned only here. */
  readonly token: string;
  readonly record: ScimTokenRecord;
}

/** Tokens with which directories provision the users of accounts. They are not cached. */
@Injectable()
export class ScimTokenService {
  private readonly lastUse: LastUse;

  constructor(
    private readonly database: Database,
    private readonly repository: ScimTokenRepository,
    private readonly quotas: QuotaService,
    private readonly audit: AuditService,
    logger: Logger,
  ) {
    const write = (id: string): Promise<void> => repository.touch(id, LAST_USED_EVERY_SECONDS);
    this.lastUse = new LastUse('scimToken', write, logger);
  }

  /** Returns the caller with a token; `null` if the token is malformed, unknown, revoked or expired. */
  async authenticate(token: string): Promise<ScimCaller | null> {
    if (!SHAPE.test(token)) return null;
    const found = await this.repository.findByHash(hashSecretToken(token));
    if (!found) return null;
    if (secondsUntilLastUseIsDue(found) === 0) this.lastUse.touch(found.id);
    const { id, name, accountId, suspended } = found;
    return {
      ...{ keyId: null, sessionId: null, userId: id, accountId, suspended },
      // No permission: only routes of SCIM accept the token.
      ...{
        role: 'member',
        workspaceRoles: null,
        scopes: [],
        workspaceIds: null,
        datagridIds: null,
      },
      scimToken: { id, name },
    };
  }

  /** Lists the tokens of an account, also expired ones, oldest first. */
  async listOf(accountId: string): Promise<ScimTokenRecord[]> {
    return (await this.repository.listOf(accountId)).map(toRecord);
  }

  /** @throws AppError `not_found` if the account has no such token. */
  async getIn(accountId: string, id: string): Promise<ScimTokenRecord> {
    const token = isUuid(id) ? await this.repository.findIn(accountId, id) : null;
    if (!token) throw notFound('SCIM token');
    return toRecord(token);
  }

  /** @throws AppError `quota_exceeded` */
  async create(
    accountId: string,
    name: string,
    expiresAt: Date | null,
    by: Actor,
  ): Promise<CreatedScimToken> {
    const token = PREFIX + createSecretToken();
    const row: ScimTokenRow = {
      ...{ id: newId(), accountId, name, expiresAt, lastUsedAt: null, createdAt: new Date() },
      ...{ hash: hashSecretToken(token), lastFour: token.slice(-4) },
    };
    await this.database.transaction(async () => {
      await this.quotas.lock(accountId);
      if ((await this.repository.count(accountId)) >= MAX_SCIM_TOKENS) throw tooMany();
      await this.repository.insert(row);
      const target = auditTarget('scim_token', row.id, name);
      const details = { expiresAt: expiresAt?.toISOString() ?? null };
      await this.audit.record(accountId, by, 'scim_token_created', target, { details });
    });
    return { token, record: toRecord(row) };
  }

  /** Revokes a token. The next request with it is rejected. @throws AppError `not_found` */
  async revoke(accountId: string, id: string, by: Actor): Promise<void> {
    await this.database.transaction(async () => {
      const { name } = await this.getIn(accountId, id);
      if (!(await this.repository.delete(accountId, id))) throw notFound('SCIM token');
      const target = auditTarget('scim_token', id, name);
      await this.audit.record(accountId, by, 'scim_token_revoked', target);
    });
  }
}

function tooMany(): AppError {
  const message = `An account may have ${String(MAX_SCIM_TOKENS)} SCIM tokens. Revoke one first.`;
  return new AppError('quota_exceeded', message);
}

function toRecord({ hash: _hash, ...record }: ScimTokenRow): ScimTokenRecord {
  return record;
}
