import { Injectable } from '@nestjs/common';
import { auditTarget } from '../../auth/audit/audit-action';
import { AuditService } from '../../auth/audit/audit.service';
import {
  type CodeUse,
  FactorService,
  isAccepted,
  requireUsed,
} from '../../auth/factor/factor.service';
import {
  type PasskeyOptions,
  type PasskeyResponse,
  PasskeyService,
  wrongPasskey,
} from '../../auth/factor/passkey.service';
import type { CheckedPassword } from '../../auth/password/password.repository';
import { PasswordService } from '../../auth/password/password.service';
import { SessionService } from '../../auth/session/session.service';
import type { UserRecord } from '../../auth/user/user.repository';
import { UserService } from '../../auth/user/user.service';
import type { Caller } from '../../common/caller/app-request';
import { type AppError, invalidField } from '../../common/error/app-error';
import { AppConfig } from '../../platform/config/app-config';
import type { Visit } from '../visit';
import type { ProofDto } from './session.dto';
import { SignInLimits } from './sign-in-limits';
import { siteOf } from './site';

/** A user who has entered the current password. */
export interface Confirmed {
  readonly user: UserRecord;
  readonly checked: CheckedPassword;
}

/** Requires for some actions what a sign-in requires, so that a stolen session does not allow them. */
@Injectable()
export class Reauthentication {
  constructor(
    private readonly config: AppConfig,
    private readonly users: UserService,
    private readonly sessions: SessionService,
    private readonly passwords: PasswordService,
    private readonly factors: FactorService,
    private readonly passkeys: PasskeyService,
    private readonly limits: SignInLimits,
    private readonly audit: AuditService,
  ) {}

  /** Returns a challenge for the passkeys of the caller. @throws AppError `conflict` */
  async challenge({ userId }: Caller, visit: Visit): Promise<PasskeyOptions> {
    return this.passkeys.challenge(userId, siteOf(this.config, visit));
  }

  /**
   * Requires a passkey, or the password and, if sign-ins ask for a second factor, a code. A session that a provider
   * has just started needs none of them. Wrong ones count against a limit of the user, and are in the audit log.
   * @throws AppError `invalid_request` if something is missing or wrong; `rate_limited` or `unavailable`.
   */
  async require(caller: Caller, proof: ProofDto, visit: Visit): Promise<UserRecord> {
    const user = await this.check(caller, proof, visit);
    await this.sessions.setProven(caller);
    return user;
  }

  private async check(caller: Caller, proof: ProofDto, visit: Visit): Promise<UserRecord> {
    const { currentPassword, code, passkey } = proof;
    if (passkey) return this.requirePasskey(caller, passkey, visit);
    if (currentPassword === undefined && (await this.isProvenByProvider(caller)))
      return (await this.users.getWithAccount(caller.userId)).user;
    const needsCode = await this.factors.hasFactor(caller.userId);
    if (currentPassword === undefined) throw invalidField('currentPassword', 'required', MISSING);
    if (needsCode && code === undefined) throw invalidField('code', 'required', MISSING);
    const { user } = await this.requirePassword(caller, currentPassword, visit);
    if (needsCode) await this.requireCode(caller, user, code ?? '', visit);
    return user;
  }

  /** @throws AppError `invalid_request` if the password is wrong; `rate_limited` or `unavailable`. */
  async requirePassword(caller: Caller, password: string, visit: Visit): Promise<Confirmed> {
    const { userId } = caller;
    const { user } = await this.users.getWithAccount(userId);
    const [checked] = await this.limits.try({ userId }, visit.client.address, () =>
      this.passwords.check([userId], password, user.accountId),
    );
    if (checked) return { user, checked };
    await this.recordFailure(caller, user, visit, 'wrong_password');
    throw wrongPassword();
  }

  private async isProvenByProvider({ userId, sessionId }: Caller): Promise<boolean> {
    const { provesUntil } = await this.sessions.get(userId, sessionId ?? '');
    return provesUntil !== null && provesUntil.getTime() > Date.now();
  }

  private async requireCode(
    caller: Caller,
    user: UserRecord,
    code: string,
    visit: Visit,
  ): Promise<void> {
    const subject = { userId: user.id };
    let use: CodeUse = 'wrong';
    await this.limits.try(subject, visit.client.address, async () => {
      use = await this.factors.use(user, code);
      return isAccepted(use) ? [use] : [];
    });
    if (!isAccepted(use)) await this.recordFailure(caller, user, visit, 'wrong_code');
    requireUsed(use);
  }

  private async requirePasskey(
    caller: Caller,
    response: PasskeyResponse,
    visit: Visit,
  ): Promise<UserRecord> {
    const { userId } = caller;
    const { user } = await this.users.getWithAccount(userId);
    const site = siteOf(this.config, visit);
    const [used] = await this.limits.try({ userId }, visit.client.address, async () => {
      const passkey = await this.passkeys.find(response);
      const use = passkey && (await this.passkeys.use(passkey, response, userId, site));
      return use === 'used' ? [use] : [];
    });
    if (used) return user;
    await this.recordFailure(caller, user, visit, 'wrong_passkey');
    throw wrongPasskey();
  }

  private async recordFailure(
    caller: Caller,
    { id, email, accountId }: UserRecord,
    { client: { address } }: Visit,
    reason: string,
  ): Promise<void> {
    const target = auditTarget('user', id, email);
    const circumstances = { details: { reason }, address };
    await this.audit.record(accountId, caller, 'reauthentication_failed', target, circumstances);
  }
}

const MISSING = 'is required';

export function wrongPassword(): AppError {
  const message = 'does not match your current password';
  return invalidField('currentPassword', 'wrong_password', message);
}
