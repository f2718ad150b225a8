import { Injectable } from '@nestjs/common';
import { AuditService } from '../../auth/audit/audit.service';
import { auditTarget } from '../../auth/audit/audit-target';
import { PasswordService } from '../../auth/password/password.service';
import { csrfTokenOf } from '../../auth/session/csrf';
import { SessionService, type StartedSession } from '../../auth/session/session.service';
import { UserService, type UserWithAccount } from '../../auth/user/user.service';
import type { Caller } from '../../common/caller/caller';
import { accountSuspended, AppError } from '../../common/error/app-error';
import { AppConfig } from '../../platform/config/app-config';
import { Database } from '../../platform/database/database';
import type { Visit } from '../visit';
import type { AccountChoice, SessionView } from './session-view';
import type { SignInDto } from './session.dto';
import { SignInLimits } from './sign-in-limits';

/** Starts sessions of the console. */
@Injectable()
export class SignInService {
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
   * Signs in, always by a new session; the one that the browser had ends. If the password is that of
   * users of several accounts and the body names none, it answers with these accounts.
   * @throws AppError `unauthenticated`, the same for an unknown user, a wrong password, and a user
   *   without one; `account_suspended` for who has the right one; `rate_limited`; `forbidden`.
   */
  async signIn(body: SignInDto, visit: Visit): Promise<SessionView | AccountChoice> {
    visit.requireSameOrigin(this.config.publicUrl);
    const { email, password, accountId } = body;
    const { address } = visit.place;
    const users = (await this.users.listByEmail(email)).filter(
      ({ account }) => accountId === undefined || account.id === accountId,
    );
    const ids = users.map(({ user }) => user.id);
    const holder = this.limits.holderOf(address);
    const checked = await this.limits.try(email, address, () =>
      this.passwords.check(ids, password, holder),
    );
    const right = users.filter(({ user }) => checked.some(({ userId }) => userId === user.id));
    if (right.length === 0) {
      await this.recordWrongPassword(users, visit);
      throw refused();
    }
    const active = right.filter(({ user, account }) => !user.suspended && !account.suspended);
    const [first] = active;
    if (!first) {
      for (const each of right) await this.recordFailure(each, visit, 'suspended');
      throw accountSuspended();
    }
    if (active.length > 1) return choiceOf(active);
    const { id } = first.user;
    const hash = checked.find(({ userId }) => userId === id)?.hash ?? '';
    const started = await this.database.transaction(async () => {
      // A session that begins after a change of the password is not among those that it ends.
      if (!(await this.passwords.isStill(id, hash))) throw refused();
      return this.start(id, visit);
    });
    return this.keep(started, visit);
  }

  /** Signs a user in who has shown who they are. */
  async begin(userId: string, visit: Visit): Promise<SessionView> {
    const started = await this.database.transaction(() => this.start(userId, visit));
    return this.keep(started, visit);
  }

  /** What the pages are told of a session. @param token The session's. */
  async view(caller: Caller, token: string): Promise<SessionView> {
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

  /** In place of the session that the visit came with. */
  private async start(userId: string, { token: before, place }: Visit): Promise<StartedSession> {
    if (before !== null) await this.sessions.endByToken(before);
    const started = await this.sessions.start(userId, place);
    const { accountId, sessionId } = started.caller;
    const target = auditTarget('session', sessionId);
    const { address } = place;
    await this.audit.record(accountId, started.caller, 'sign_in', target, { address });
    return started;
  }

  private async keep(
    { token, expiresAt, caller }: StartedSession,
    visit: Visit,
  ): Promise<SessionView> {
    visit.keep(token, expiresAt, this.config.publicUrl);
    return this.view(caller, token);
  }

  /**
   * Only if one account alone has a user of the address: an account must not learn from its audit
   * log that somebody signs in to another one, or from where.
   */
  private async recordWrongPassword(
    users: readonly UserWithAccount[],
    visit: Visit,
  ): Promise<void> {
    const [user, other] = users;
    if (user && !other) await this.recordFailure(user, visit, 'wrong_password');
  }

  private async recordFailure(
    { user: { id, email, accountId } }: UserWithAccount,
    { place: { address } }: Visit,
    reason: string,
  ): Promise<void> {
    const target = auditTarget('user', id, email);
    const circumstances = { details: { reason }, address };
    await this.audit.record(accountId, 'nobody', 'sign_in_failed', target, circumstances);
  }
}

function choiceOf(users: readonly UserWithAccount[]): AccountChoice {
  return { accounts: users.map(({ account: { id, name } }) => ({ id, name })) };
}

function refused(): AppError {
  return new AppError('unauthenticated', 'The email address or password is incorrect.', {
    headers: { 'WWW-Authenticate': 'Cookie' },
  });
}
