import { Injectable } from '@nestjs/common';
import { accountSuspended, conflict, notFound } from '../../common/error/app-error';
import { AppConfig } from '../../platform/config/app-config';
import { Database } from '../../platform/database/database';
import { type Actor, auditTarget } from '../audit/audit-action';
import { AuditService } from '../audit/audit.service';
import { linkBase } from '../link-base';
import { PasswordService } from '../password/password.service';
import { createSecretToken, hashSecretToken, isSecretToken } from '../secret-token';
import { SessionService } from '../session/session.service';
import type { UserRecord } from '../user/user.repository';
import { UserService } from '../user/user.service';
import { InviteRepository, type FoundInvite } from './invite.repository';

const LIFE_MS = 72 * 3_600_000;

/** A single-use link that sets a user's password. */
export interface InviteLink {
  /** Contains the secret. It is returned only here. */
  readonly url: string;
  readonly expiresAt: Date;
}

/** Invite links, with which users set their first password or reset a forgotten one. */
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
   * Creates a link for an existing user. An earlier link becomes invalid.
   * @param origin Origin at which the browser reached the console; unset for a command.
   * @throws AppError `conflict` if PUBLIC_URL is not set and the service does not run on localhost:
   *   the link is used on other machines, and no setting says where it must point. Also `conflict`
   *   for a service account, as nobody signs in as one.
   */
  async create(user: UserRecord, by: Actor, origin?: string): Promise<InviteLink> {
    if (user.isService) throw conflict('Nobody can sign in as a service account.');
    const base = linkBase(this.config, origin);
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

  /** Makes the link of a user invalid, if there is one. */
  async revoke(userId: string): Promise<void> {
    await this.repository.deleteOf(userId);
  }

  /**
   * @throws AppError `not_found` if the link is unknown, used, expired or replaced by a later one.
   */
  async get(token: string): Promise<FoundInvite> {
    const invite = isSecretToken(token) ? await this.repository.find(hashSecretToken(token)) : null;
    if (!invite) throw notFound();
    return invite;
  }

  /**
   * Sets the user's password, consumes the link, and ends all sessions of the user.
   * @returns the user's id.
   * @throws AppError `not_found` as `get`; `account_suspended`, in which case the link stays valid.
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
      // A previous release may have created the link.
      if (user.isService) throw notFound();
      const by = { userId, keyId: null, sessionId: null };
      const target = auditTarget('user', userId, user.email);
      await this.audit.record(user.accountId, by, 'password_changed', target);
      return userId;
    });
  }
}
