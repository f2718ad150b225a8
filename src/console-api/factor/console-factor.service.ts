import { Injectable } from '@nestjs/common';
import { type AuditAction, auditTarget } from '../../auth/audit/audit-action';
import { type AuditCircumstances, AuditService } from '../../auth/audit/audit.service';
import type { TotpEnrollment } from '../../auth/factor/factor-code';
import {
  type AddedFactor,
  FactorService,
  type FactorState,
  noFactor,
  wrongCode,
} from '../../auth/factor/factor.service';
import {
  type NewPasskeyOptions,
  type PasskeyOptions,
  PasskeyService,
} from '../../auth/factor/passkey.service';
import { PasswordService } from '../../auth/password/password.service';
import { SessionService } from '../../auth/session/session.service';
import type { UserRecord } from '../../auth/user/user.repository';
import { UserService } from '../../auth/user/user.service';
import type { Caller } from '../../common/caller/app-request';
import { notFound } from '../../common/error/app-error';
import { AppConfig } from '../../platform/config/app-config';
import { Database } from '../../platform/database/database';
import { Reauthentication } from '../session/reauthentication';
import type { CodeDto, NewPasskeyDto, ProofDto } from '../session/session.dto';
import { SignInLimits } from '../session/sign-in-limits';
import { siteOf } from '../session/site';
import type { Visit } from '../visit';

export type { AddedFactor, FactorState, NewPasskeyOptions, PasskeyOptions, TotpEnrollment };

/** Codes that are shown only once. */
export interface RecoveryCodes {
  readonly recoveryCodes: readonly string[];
}

/** Second factors of the signed-in user. A session alone changes none of them. */
@Injectable()
export class ConsoleFactorService {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly factors: FactorService,
    private readonly passkeys: PasskeyService,
    private readonly passwords: PasswordService,
    private readonly sessions: SessionService,
    private readonly users: UserService,
    private readonly reauthentication: Reauthentication,
    private readonly limits: SignInLimits,
    private readonly audit: AuditService,
  ) {}

  async get({ userId }: Caller): Promise<FactorState> {
    return this.factors.stateOf(userId);
  }

  /** Returns a challenge that proves the user by a passkey. @throws AppError `conflict` */
  async challenge(caller: Caller, visit: Visit): Promise<PasskeyOptions> {
    return this.reauthentication.challenge(caller, visit);
  }

  /** Begins to set up an authenticator app. @throws as `Reauthentication.require`; `conflict` */
  async beginTotp(caller: Caller, proof: ProofDto, visit: Visit): Promise<TotpEnrollment> {
    const user = await this.reauthentication.require(caller, proof, visit);
    return this.factors.beginTotp(user.id, user.email);
  }

  /**
   * Confirms the app. Sign-ins ask for its codes from then on, and the other sessions of the user end.
   * @throws AppError `invalid_request`, `conflict`, `rate_limited`
   */
  async confirmTotp(caller: Caller, { code }: CodeDto, visit: Visit): Promise<AddedFactor> {
    const { user } = await this.users.getWithAccount(caller.userId);
    // A stolen session must not guess the code of an app that its user has not confirmed.
    const [added] = await this.limits.try({ userId: user.id }, visit.client.address, async () => {
      const confirmed = await this.adding(caller, user, { factor: 'totp' }, () =>
        this.factors.confirmTotp(user.id, code),
      );
      return confirmed ? [confirmed] : [];
    });
    if (!added) throw wrongCode();
    return added;
  }

  /** @throws as `Reauthentication.require`; `not_found` */
  async removeTotp(caller: Caller, proof: ProofDto, visit: Visit): Promise<void> {
    if (!(await this.factors.stateOf(caller.userId)).totp) throw notFound('Authenticator app');
    const user = await this.reauthentication.require(caller, proof, visit);
    await this.factors.removeTotp(user, caller);
  }

  /** Begins to add a passkey. @throws as `Reauthentication.require`; `conflict` */
  async beginPasskey(caller: Caller, proof: ProofDto, visit: Visit): Promise<NewPasskeyOptions> {
    const site = siteOf(this.config, visit);
    const user = await this.reauthentication.require(caller, proof, visit);
    return this.passkeys.begin(user, site);
  }

  /**
   * Adds the passkey. The other sessions of the user end.
   * @throws AppError `invalid_request`, `conflict`
   */
  async addPasskey(caller: Caller, body: NewPasskeyDto, visit: Visit): Promise<AddedFactor> {
    const { name, passkey } = body;
    const { user } = await this.users.getWithAccount(caller.userId);
    const checked = await this.passkeys.check(user.id, passkey, siteOf(this.config, visit));
    return this.adding(caller, user, { factor: 'passkey', name }, () =>
      this.factors.addPasskey(user.id, name, checked),
    );
  }

  /** @throws as `Reauthentication.require`; `not_found` */
  async removePasskey(caller: Caller, id: string, proof: ProofDto, visit: Visit): Promise<void> {
    const own = await this.passkeys.listOf(caller.userId);
    if (!own.some((passkey) => passkey.id === id)) throw notFound('Passkey');
    const user = await this.reauthentication.require(caller, proof, visit);
    await this.factors.removePasskey(user, id, caller, async () => {
      // Another one may have been removed meanwhile.
      if ((await this.passkeys.listOf(user.id)).length > 1) return;
      // A passkey may be the only way to sign in without a provider.
      if (!(await this.passwords.has(user.id))) await this.users.requireNotExempt(user);
    });
  }

  /** Replaces the recovery codes. @throws as `Reauthentication.require`; `conflict` */
  async createRecoveryCodes(caller: Caller, proof: ProofDto, visit: Visit): Promise<RecoveryCodes> {
    if (!(await this.factors.hasFactor(caller.userId))) throw noFactor();
    const user = await this.reauthentication.require(caller, proof, visit);
    return this.database.transaction(async () => {
      const recoveryCodes = await this.factors.createRecoveryCodes(user.id);
      await this.record(caller, user, 'recovery_codes_created');
      return { recoveryCodes };
    });
  }

  /** Adds a factor, and ends the other sessions. @param add Returns `null` if it adds none. */
  private async adding<T extends AddedFactor | null>(
    caller: Caller,
    user: UserRecord,
    details: AuditCircumstances['details'] & object,
    add: () => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async () => {
      // The session may have ended while the code waited for its check.
      await this.users.lock(user.id);
      await this.sessions.requireLive(caller);
      const added = await add();
      if (added === null) return added;
      await this.sessions.endOthers(user.id, caller.sessionId);
      await this.record(caller, user, 'factor_added', { details });
      return added;
    });
  }

  private async record(
    caller: Caller,
    user: UserRecord,
    action: AuditAction,
    circumstances: AuditCircumstances = {},
  ): Promise<void> {
    const target = auditTarget('user', user.id, user.email);
    await this.audit.record(caller.accountId, caller, action, target, circumstances);
  }
}
