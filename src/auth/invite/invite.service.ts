import { Injectable } from '@nestjs/common';
import { accountSuspended, conflict, notFound } from '../../common/error/app-error';
import { isLoopbackHost } from '../../common/text/loopback-host';
import { AppConfig } from '../../platform/config/app-config';
import { Database } from '../../platform/database/database';
import type { Actor } from '../audit/actor';
import { AuditService } from '../audit/audit.service';
import { auditTarget } from '../audit/audit-target';
import { PasswordService } from '../password/password.service';
import { createSecretToken, hashSecretToken, isSecretToken } from '../secret-token';
import { SessionService } from '../session/session.service';
import type { UserRecord } from '../user/user.repository';
import { UserService } from '../user/user.service';
import { InviteRepository, type FoundInvite } from './invite.repository';

const PUBLIC_URL_MISSING =
  'PUBLIC_URL is not set. Set it to the URL of the console, such as https://data.example.com; ' +
  'invite links point to it.';

const LIFE_MS = 72 * 3_600_000;

/** A link that sets a user's password, once. */
export interface InviteLink {
  /** Holds the secret. This is the only time that anyone sees it. */
  readonly url: string;
  readonly expiresAt: Date;
}

/** Links by which users set their first password, or another where they have forgotten theirs. */
@Injectable()
export class InviteService {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly repository: InviteRepository,
    private readonly passwords: PasswordService,
    private readonly sessions: SessionService,
    private readonly users: UserService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Makes a link for a user, who must exist; an earlier one is good no more.
   * @param origin Where the browser has found the console; unset for a command.
   * @throws AppError `conflict` if PUBLIC_URL is not set and the service is not on localhost: the
   *   link leaves this machine, and nobody has said where it must lead.
   */
  async create(user: UserRecord, by: Actor, origin?: string): Promise<InviteLink> {
    const base = this.baseUrl(origin);
    const { id: userId, accountId, email } = user;
    const token = createSecretToken();
    const createdAt = new Date();
    const expiresAt = new Date(createdAt.getTime() + LIFE_MS);
    const tokenHash = hashSecretToken(token);
    await this.database.transaction(async () => {
      await this.repository.put({ userId, tokenHash, createdAt, expiresAt });
      const target = auditTarget('user', userId, email);
      await this.audit.record(accountId, by, 'user_invited', target);
    });
    return { url: `${base}/invite/${token}`, expiresAt };
  }

  /** @throws AppError `not_found` where the link is unknown, used, too old, or followed by another. */
  async get(token: string): Promise<FoundInvite> {
    const invite = isSecretToken(token) ? await this.repository.find(hashSecretToken(token)) : null;
    if (!invite) throw notFound();
    return invite;
  }

  /**
   * Sets the user's password, uses the link up, and ends all sessions of the user.
   * @returns the user's id.
   * @throws AppError `not_found` as `get`; `account_suspended`, and then the link stays good.
   */
  async accept(token: string, password: string): Promise<string> {
    const { userId: id, accountId, suspended } = await this.get(token);
    if (suspended) throw accountSuspended();
    const hash = await this.passwords.hash(password, { id, accountId });
    return this.database.transaction(async () => {
      const userId = await this.repository.take(hashSecretToken(token));
      if (userId === null) throw notFound();
      await this.passwords.set(userId, hash);
      await this.sessions.endOthers(userId, null);
      const { user } = await this.users.getWithAccount(userId);
      const by = { userId, keyId: null, sessionId: null };
      const target = auditTarget('user', userId, user.email);
      await this.audit.record(user.accountId, by, 'password_changed', target);
      return userId;
    });
  }

  /** Forgets links that are too old. */
  async clear(): Promise<void> {
    await this.repository.clear();
  }

  private baseUrl(origin?: string): string {
    const { publicUrl, host, databaseUrl, port } = this.config;
    if (publicUrl !== undefined) return publicUrl;
    if (origin !== undefined) {
      if (URL.canParse(origin) && isLoopbackHost(new URL(origin).hostname)) return origin;
    } else if (host === undefined ? databaseUrl === undefined : isLoopbackHost(host)) {
      return `http://localhost:${String(port)}`;
    }
    throw conflict(PUBLIC_URL_MISSING);
  }
}
