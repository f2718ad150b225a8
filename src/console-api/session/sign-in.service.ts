import { Injectable } from '@nestjs/common';
import { auditTarget } from '../../auth/audit/audit-action';
import { AuditService } from '../../auth/audit/audit.service';
import {
  type CodeUse,
  type Factor,
  FactorService,
  isAccepted,
  requireUsed,
  type SignInMeans,
} from '../../auth/factor/factor.service';
import type { CheckedPassword } from '../../auth/password/password.repository';
import { PasswordService } from '../../auth/password/password.service';
import { linkBase } from '../../auth/link-base';
import { ProviderRuleService } from '../../auth/provider/provider-rule.service';
import { providerPage, ProviderService } from '../../auth/provider/provider.service';
import { csrfTokenOf } from '../../auth/session/session-cookie';
import {
  type ProviderSession,
  SessionService,
  type StartedSession,
} from '../../auth/session/session.service';
import { UserService, type UserWithAccount } from '../../auth/user/user.service';
import type { Caller } from '../../common/caller/app-request';
import { accountSuspended, AppError } from '../../common/error/app-error';
import type { Role, WorkspaceRole } from '../../common/permission/permission';
import { AppConfig } from '../../platform/config/app-config';
import { Database } from '../../platform/database/database';
import type { Visit } from '../visit';
import type { SignInDto } from './session.dto';
import { SignInLimits } from './sign-in-limits';
import { SignInMetrics, type SignInOutcome } from './sign-in-metrics';

/** Starts sessions of the console. */
@Injectable()
export class SignInService {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly users: UserService,
    private readonly passwords: PasswordService,
    private readonly factors: FactorService,
    private readonly sessions: SessionService,
    private readonly providers: ProviderService,
    private readonly providerRule: ProviderRuleService,
    private readonly limits: SignInLimits,
    private readonly audit: AuditService,
    private readonly metrics: SignInMetrics,
  ) {}

  /**
   * Signs a user in with a new session, and ends the previous session of the browser. If the
   * password matches users of several accounts and the body names no account, returns these
   * accounts. If the user has a second factor and the body has no code, asks for one.
   * @throws AppError `unauthenticated`, the same for an unknown user, a wrong password, and a user without a
   *   password; `invalid_request` if the code is wrong; `account_suspended` if the password is correct;
   *   `rate_limited`; `unavailable`; `forbidden`.
   */
  async signIn(body: SignInDto, visit: Visit): Promise<SessionView | AccountChoice | FactorChoice> {
    visit.requireSameOrigin(this.config.publicUrl);
    const { email, password, accountId, code } = body;
    const { address } = visit.client;
    const users = (await this.users.listByEmail(email)).filter(
      ({ account }) => accountId === undefined || account.id === accountId,
    );
    const ids = users.map(({ user }) => user.id);
    const holder = this.limits.holderOf(address);
    const attempt = new Attempt(users);
    await this.limits.try({ email }, address, async () => {
      attempt.checked = await this.passwords.check(ids, password, holder);
      const user = attempt.onlyActive?.user;
      if (!user || code === undefined || !(await this.factors.hasFactor(user.id))) {
        return attempt.checked;
      }
      // A wrong code counts as a wrong password does.
      attempt.use = await this.factors.use(user, code);
      return attempt.factor === null ? [] : attempt.checked;
    });
    const { right, active, checked } = attempt;
    if (right.length === 0) {
      this.metrics.ended('wrong_password');
      await this.recordWrongPassword(users, visit);
      throw wrongCredentials();
    }
    const [first] = active;
    if (!first) {
      for (const each of right) await this.recordFailure(each, visit, 'suspended');
      throw accountSuspended();
    }
    if (active.length > 1) return choiceOf(active);
    const { id } = first.user;
    await this.requireNoProvider(first, visit);
    const { use } = attempt;
    if (use && attempt.factor === null) await this.recordFailure(first, visit, 'wrong_code');
    const factor = use ? requireUsed(use) : null;
    const hash = checked.find(({ userId }) => userId === id)?.hash ?? '';
    const started = await this.database.transaction(async () => {
      // A password change does not end sessions that start after it. The password must still be
      // valid.
      if (!(await this.passwords.isStill(id, hash))) throw wrongCredentials();
      return this.startUnlessFactorNeeded(id, visit, factor);
    });
    return started ? this.keep(started, visit) : this.factorRequest(id);
  }

  /**
   * Signs in a user who has set a password. If the user has a second factor, asks to sign in with it, and
   * ends the session of the browser, which may be that of another user.
   */
  async begin(userId: string, visit: Visit): Promise<SessionView | FactorChoice> {
    const started = await this.database.transaction(async () => {
      const session = await this.startUnlessFactorNeeded(userId, visit, null);
      if (!session && visit.token !== null) await this.sessions.endByToken(visit.token);
      return session;
    });
    if (started) return this.keep(started, visit);
    visit.forget(this.config.publicUrl);
    return this.factorRequest(userId);
  }

  /**
   * Signs in a user who has proven the identity without the password.
   * @param requireValid Throws if what the user proved it with is no longer valid. Called with the lock of the user.
   * @throws AppError `account_suspended`, and what `requireValid` throws.
   */
  async enter(
    found: UserWithAccount,
    means: SignInMeans,
    requireValid: () => Promise<void>,
    visit: Visit,
    confirmedBy: ProviderSession | null = null,
  ): Promise<SessionView> {
    const { user, account } = found;
    if (user.suspended || account.suspended) {
      await this.recordFailure(found, visit, 'suspended');
      throw accountSuspended();
    }
    if (confirmedBy === null) await this.requireNoProvider(found, visit);
    const started = await this.database.transaction(async () => {
      await this.users.lock(user.id);
      await requireValid();
      return this.start(user.id, visit, means, confirmedBy);
    });
    return this.keep(started, visit);
  }

  /**
   * Requires that a user may sign in without a provider.
   * @throws AppError `forbidden`, which names the pages of the providers.
   */
  async requireNoProvider(found: UserWithAccount, visit: Visit): Promise<void> {
    const providers = await this.providerRule.listRequired(found.user.id);
    if (providers.length === 0) return;
    await this.recordFailure(found, visit, 'provider_required');
    const base = linkBase(this.config, visit.origin);
    const pages = providers.map(({ id, name }) => `with ${name} at ${providerPage(base, id)}`);
    throw new AppError(
      'forbidden',
      `This account requires single sign-on. Sign in ${pages.join(', or ')}`,
    );
  }

  /** Describes a session for the console's pages. @param token The session's token. */
  async view(caller: Caller, token: string): Promise<SessionView> {
    const { userId, sessionId, role, workspaceRoles, lacksSecondFactor = false } = caller;
    const { user, account } = await this.users.getWithAccount(userId);
    const session = await this.sessions.get(userId, sessionId ?? '');
    const { providerId, provesUntil, expiresAt } = session;
    const provider = providerId === null ? null : await this.providers.get(providerId);
    return {
      user: { id: userId, email: user.email, role, workspaceRoles: workspaceRoles ?? {} },
      account: { id: account.id, name: account.name },
      lacksSecondFactor,
      provider: provider && {
        id: provider.id,
        name: provider.name,
        provesUntil: provesUntil?.toISOString() ?? '',
      },
      csrfToken: csrfTokenOf(token),
      expiresAt: expiresAt.toISOString(),
    };
  }

  /**
   * Starts a session, unless a second factor is needed and was not used. Locks the user, so that no session
   * starts without a factor that is being set up.
   */
  private async startUnlessFactorNeeded(
    userId: string,
    visit: Visit,
    factor: Factor | null,
  ): Promise<StartedSession | null> {
    await this.users.lock(userId);
    if (factor === null && (await this.factors.hasFactor(userId))) return null;
    return this.start(userId, visit, factor);
  }

  /** Starts a session and ends the previous one of this browser. */
  private async start(
    userId: string,
    { token: before, client }: Visit,
    means: SignInMeans | null,
    confirmedBy: ProviderSession | null = null,
  ): Promise<StartedSession> {
    if (before !== null) await this.sessions.endByToken(before);
    const started = await this.sessions.start(userId, client, confirmedBy);
    const { accountId, sessionId } = started.caller;
    const target = auditTarget('session', sessionId);
    const { address } = client;
    const details = means === null ? {} : { factor: means };
    await this.audit.record(accountId, started.caller, 'sign_in', target, { details, address });
    this.metrics.ended('success');
    return started;
  }

  private async factorRequest(userId: string): Promise<FactorChoice> {
    return { factors: await this.factors.listAsked(userId) };
  }

  private async keep(
    { token, expiresAt, caller }: StartedSession,
    visit: Visit,
  ): Promise<SessionView> {
    visit.keep(token, expiresAt, this.config.publicUrl);
    return this.view(caller, token);
  }

  /**
   * Records a wrong password only if exactly one account has a user with this email address. An
   * account's audit log must not reveal that a user signs in to another account, or from where.
   */
  private async recordWrongPassword(
    users: readonly UserWithAccount[],
    visit: Visit,
  ): Promise<void> {
    const [user, other] = users;
    if (user && !other) await this.recordFailure(user, visit, 'wrong_password');
  }

  /** Adds a failed sign-in to the audit log. */
  async recordFailure(
    { user: { id, email, accountId } }: UserWithAccount,
    { client: { address } }: Visit,
    reason: Exclude<SignInOutcome, 'success' | 'provider_failed'>,
  ): Promise<void> {
    // Wrong passwords of unknown users count, too, where they are found.
    if (reason !== 'wrong_password') this.metrics.ended(reason);
    const target = auditTarget('user', id, email);
    const circumstances = { details: { reason }, address };
    await this.audit.record(accountId, 'nobody', 'sign_in_failed', target, circumstances);
  }
}

/** State of one sign-in. */
class Attempt {
  checked: readonly CheckedPassword[] = [];
  /** Outcome of the code of `onlyActive`; undefined if none was checked. */
  use: CodeUse | undefined;

  constructor(private readonly users: readonly UserWithAccount[]) {}

  /** Users whose password matches. */
  get right(): readonly UserWithAccount[] {
    return this.users.filter(({ user }) => this.checked.some(({ userId }) => userId === user.id));
  }

  /** Those who are not suspended. */
  get active(): readonly UserWithAccount[] {
    return this.right.filter(({ user, account }) => !user.suspended && !account.suspended);
  }

  /** The factor that was used; `null` for none. */
  get factor(): Factor | null {
    return this.use && isAccepted(this.use) ? this.use : null;
  }

  get onlyActive(): UserWithAccount | undefined {
    const [first, other] = this.active;
    return other ? undefined : first;
  }
}

function choiceOf(users: readonly UserWithAccount[]): AccountChoice {
  return { accounts: users.map(({ account: { id, name } }) => ({ id, name })) };
}

function wrongCredentials(): AppError {
  return new AppError('unauthenticated', 'The email address or password is incorrect.', {
    headers: { 'WWW-Authenticate': 'Cookie' },
  });
}

/** Response to a correct password of a user who must also send a code, or use a passkey instead. */
export interface FactorChoice {
  readonly factors: readonly Factor[];
}

/** The current session, for the console's pages. */
export interface SessionView {
  readonly user: {
    readonly id: string;
    readonly email: string;
    readonly role: Role;
    /** Roles in single workspaces by their ids. */
    readonly workspaceRoles: Readonly<Record<string, WorkspaceRole>>;
  };
  readonly account: { readonly id: string; readonly name: string };
  /** Whether the account requires a second factor and the user has none. Then few calls are allowed. */
  readonly lacksSecondFactor: boolean;
  /**
   * Provider that started the session; `null` if none did. Until `provesUntil` (RFC 3339), changes that need a proof
   * accept an empty one.
   */
  readonly provider: {
    readonly id: string;
    readonly name: string;
    readonly provesUntil: string;
  } | null;
  /** Value of `X-CSRF-Token` in requests that change data. */
  readonly csrfToken: string;
  /** RFC 3339. The session expires then if it makes no further request. */
  readonly expiresAt: string;
}

/**
 * Response to a correct password that belongs to users of several accounts: the client must name
 * one of these accounts.
 */
export interface AccountChoice {
  readonly accounts: readonly { readonly id: string; readonly name: string }[];
}
