import { Injectable } from '@nestjs/common';
import type { AuditAction } from '../../auth/audit/audit-action';
import { AuditService } from '../../auth/audit/audit.service';
import { auditTarget } from '../../auth/audit/audit-target';
import { csrfTokenOf } from '../../auth/session/csrf';
import { SessionService, type StartedSession } from '../../auth/session/session.service';
import { PasswordService } from '../../auth/password/password.service';
import type { UserRecord } from '../../auth/user/user.repository';
import { UserService } from '../../auth/user/user.service';
import type { Caller } from '../../common/caller/caller';
import type { BareJson } from '../../common/envelope/bare-json';
import { accountSuspended, AppError, invalidRequest } from '../../common/error/app-error';
import { AppConfig } from '../../platform/config/app-config';
import { Database } from '../../platform/database/database';
import type { Visit } from '../visit';
import { wholeList } from '../whole-list';
import type { SessionView } from './session-view';
import type { ChangePasswordDto, SignInDto } from './session.dto';
import { SignInLimits } from './sign-in-limits';

/** Signing in and out of the console. */
@Injectable()
export class ConsoleSessionService {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly users: UserService,
    private readonly passwords: PasswordService,
    private readonly sessions: SessionService,
    private readonly limits: SignInLimits,
    private readonly audit: AuditService,
  ) {}

  /**
   * Signs in, always by a new session; the one that the browser had ends.
   * @throws AppError `unauthenticated`, the same for an unknown user, a wrong password, and a user
   *   without one; `account_suspended` for who has the right one; `rate_limited`; `forbidden`.
   */
  async signIn({ email, password }: SignInDto, visit: Visit): Promise<SessionView> {
    visit.requireSameOrigin(this.config.publicUrl);
    const user = await this.users.findByEmail(email);
    const checked = await this.limits.try(email, visit.place.address, () =>
      this.passwords.check(user?.id ?? null, password),
    );
    if (!user) throw refused();
    if (checked === null) {
      await this.recordFailure(user, visit, 'wrong_password');
      throw refused();
    }
    const { account } = await this.users.getWithAccount(user.id);
    if (user.suspended || account.suspended) {
      await this.recordFailure(user, visit, 'suspended');
      throw accountSuspended();
    }
    const started = await this.database.transaction(async () => {
      // A session that begins after a change of the password is not among those that it ends.
      if (!(await this.passwords.isStill(user.id, checked))) throw refused();
      return this.start(user.id, visit);
    });
    return this.keep(started, visit);
  }

  /** Signs a user in who has shown who they are. */
  async begin(userId: string, visit: Visit): Promise<SessionView> {
    const started = await this.database.transaction(() => this.start(userId, visit));
    return this.keep(started, visit);
  }

  /** In place of the session that the visit came with. */
  private async start(userId: string, { token: before, place }: Visit): Promise<StartedSession> {
    if (before !== null) await this.sessions.endByToken(before);
    const started = await this.sessions.start(userId, place);
    await this.record(started.caller, 'sign_in', started.caller.sessionId, place.address);
    return started;
  }

  private async keep(
    { token, expiresAt, caller }: StartedSession,
    visit: Visit,
  ): Promise<SessionView> {
    visit.keep(token, expiresAt, this.config.publicUrl);
    return this.view(caller, token);
  }

  /** Who is signed in. */
  async get(caller: Caller, visit: Visit): Promise<SessionView> {
    return this.view(caller, visit.token ?? '');
  }

  async signOut(caller: Caller, visit: Visit): Promise<void> {
    await this.endAs('sign_out', caller, caller.sessionId ?? '', visit);
  }

  /** All sessions of the caller's user that are not over, the latest first. */
  async list({ userId, sessionId }: Caller): Promise<BareJson> {
    const sessions = await this.sessions.listOf(userId);
    return wholeList(
      sessions.map(({ id, createdAt, lastUsedAt, userAgent, address }) => ({
        id,
        createdAt,
        lastUsedAt,
        userAgent,
        address,
        isCurrent: id === sessionId,
      })),
    );
  }

  /** @throws AppError `not_found` */
  async end(caller: Caller, id: string, visit: Visit): Promise<void> {
    await this.endAs('session_ended', caller, id, visit);
  }

  /**
   * Changes the caller's password, and ends their other sessions.
   * @throws AppError `invalid_request` where the current one is wrong, `rate_limited`.
   */
  async changePassword(caller: Caller, body: ChangePasswordDto, visit: Visit): Promise<void> {
    const { userId, sessionId } = caller;
    const { user } = await this.users.getWithAccount(userId);
    const checked = await this.limits.try(user.email, visit.place.address, () =>
      this.passwords.check(userId, body.currentPassword),
    );
    if (checked === null) throw wrongPassword();
    const hash = await this.passwords.hash(body.newPassword);
    await this.database.transaction(async () => {
      // Who has had it changed meanwhile, by a link, is not to find it changed back.
      if (!(await this.passwords.isStill(userId, checked))) throw wrongPassword();
      await this.passwords.set(userId, hash);
      await this.sessions.endOthers(userId, sessionId);
      const target = auditTarget('user', userId, user.email);
      await this.audit.record(caller.accountId, caller, 'password_changed', target);
    });
  }

  private async endAs(
    action: AuditAction,
    caller: Caller,
    id: string,
    visit: Visit,
  ): Promise<void> {
    await this.database.transaction(async () => {
      await this.sessions.end(caller.userId, id);
      await this.record(caller, action, id, visit.place.address);
    });
    if (id === caller.sessionId) visit.forget(this.config.publicUrl);
  }

  private async record(
    caller: Caller,
    action: AuditAction,
    sessionId: string,
    address: string | null,
  ): Promise<void> {
    const target = auditTarget('session', sessionId);
    await this.audit.record(caller.accountId, caller, action, target, { address });
  }

  /** Of an address that belongs to nobody there is no account that could be told. */
  private async recordFailure(
    { id, email, accountId }: UserRecord,
    { place: { address } }: Visit,
    reason: string,
  ): Promise<void> {
    const target = auditTarget('user', id, email);
    const circumstances = { details: { reason }, address };
    await this.audit.record(accountId, 'nobody', 'sign_in_failed', target, circumstances);
  }

  private async view(caller: Caller, token: string): Promise<SessionView> {
    const { userId, sessionId, role } = caller;
    const { user, account } = await this.users.getWithAccount(userId);
    const expiresAt = await this.sessions.expiryOf(userId, sessionId ?? '');
    return {
      user: { id: userId, email: user.email, role },
      account: { id: account.id, name: account.name },
      csrfToken: csrfTokenOf(token),
      expiresAt: expiresAt.toISOString(),
    };
  }
}

function wrongPassword(): AppError {
  const message = 'is not your password';
  return invalidRequest([{ field: 'currentPassword', code: 'wrong_password', message }]);
}

function refused(): AppError {
  return new AppError('unauthenticated', 'The e-mail address or the password is wrong.', {
    headers: { 'WWW-Authenticate': 'Cookie' },
  });
}
