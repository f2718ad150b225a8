import { Injectable } from '@nestjs/common';
import { type AuditAction, auditTarget } from '../../auth/audit/audit-action';
import { AuditService } from '../../auth/audit/audit.service';
import { FactorService, type FactorState, wrongCode } from '../../auth/factor/factor.service';
import type { TotpEnrollment } from '../../auth/factor/factor-code';
import { SessionService } from '../../auth/session/session.service';
import type { UserRecord } from '../../auth/user/user.repository';
import { UserService } from '../../auth/user/user.service';
import type { Caller } from '../../common/caller/app-request';
import { Database } from '../../platform/database/database';
import { CurrentPassword } from '../session/current-password';
import type { CodeDto, CurrentPasswordDto, PasswordAndCodeDto } from '../session/session.dto';
import { SignInLimits } from '../session/sign-in-limits';
import type { Visit } from '../visit';

export type { FactorState, TotpEnrollment };

/** Codes that are shown only once. */
export interface RecoveryCodes {
  readonly recoveryCodes: readonly string[];
}

/** Second factors of the signed-in user. */
@Injectable()
export class ConsoleFactorService {
  constructor(
    private readonly database: Database,
    private readonly factors: FactorService,
    private readonly sessions: SessionService,
    private readonly users: UserService,
    private readonly currentPassword: CurrentPassword,
    private readonly limits: SignInLimits,
    private readonly audit: AuditService,
  ) {}

  async get({ userId }: Caller): Promise<FactorState> {
    return this.factors.stateOf(userId);
  }

  /** Begins to set up an authenticator app. @throws as `CurrentPassword.require`; `conflict` */
  async begin(
    caller: Caller,
    { currentPassword }: CurrentPasswordDto,
    visit: Visit,
  ): Promise<TotpEnrollment> {
    const { user } = await this.currentPassword.require(caller, currentPassword, visit);
    return this.factors.beginTotp(user.id, user.email);
  }

  /**
   * Confirms the app. Sign-ins ask for its codes from then on, and the other sessions of the user end.
   * @throws AppError `invalid_request`, `conflict`, `rate_limited`
   */
  async confirm(caller: Caller, { code }: CodeDto, visit: Visit): Promise<RecoveryCodes> {
    const { userId, sessionId } = caller;
    const { user } = await this.users.getWithAccount(userId);
    // A stolen session must not guess the code of an app that its user has not confirmed.
    const [recoveryCodes] = await this.limits.try(user.email, visit.client.address, () =>
      this.database.transaction(async () => {
        const codes = await this.factors.confirmTotp(userId, code);
        if (codes === null) return [];
        await this.sessions.endOthers(userId, sessionId);
        await this.record(caller, user, 'factor_added');
        return [codes];
      }),
    );
    if (!recoveryCodes) throw wrongCode();
    return { recoveryCodes };
  }

  /** @throws AppError `invalid_request`, `rate_limited` */
  async remove(caller: Caller, body: PasswordAndCodeDto, visit: Visit): Promise<void> {
    await this.factors.remove(
      await this.currentPassword.requireWithCode(caller, body, visit),
      caller,
    );
  }

  /** Replaces the recovery codes. @throws AppError `invalid_request`, `rate_limited` */
  async createRecoveryCodes(
    caller: Caller,
    body: PasswordAndCodeDto,
    visit: Visit,
  ): Promise<RecoveryCodes> {
    const user = await this.currentPassword.requireWithCode(caller, body, visit);
    return this.database.transaction(async () => {
      const recoveryCodes = await this.factors.createRecoveryCodes(user.id);
      await this.record(caller, user, 'recovery_codes_created');
      return { recoveryCodes };
    });
  }

  private async record(caller: Caller, user: UserRecord, action: AuditAction): Promise<void> {
    const target = auditTarget('user', user.id, user.email);
    await this.audit.record(caller.accountId, caller, action, target);
  }
}
