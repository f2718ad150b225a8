import { Injectable } from '@nestjs/common';
import { type AuditAction, auditTarget } from '../../auth/audit/audit-action';
import { AuditService } from '../../auth/audit/audit.service';
import { SessionService } from '../../auth/session/session.service';
import { PasswordService } from '../../auth/password/password.service';
import type { Caller } from '../../common/caller/app-request';
import type { JsonResponse } from '../../common/envelope/json-response';
import { AppConfig } from '../../platform/config/app-config';
import { Database } from '../../platform/database/database';
import type { Visit } from '../visit';
import { wholeList } from '../path-parameters';
import { Reauthentication, wrongPassword } from './reauthentication';
import { type SessionView, SignInService } from './sign-in.service';
import type { ChangePasswordDto, ProofDto } from './session.dto';

/** Sessions and password of the signed-in user. */
@Injectable()
export class ConsoleSessionService {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly passwords: PasswordService,
    private readonly sessions: SessionService,
    private readonly reauthentication: Reauthentication,
    private readonly signIns: SignInService,
    private readonly audit: AuditService,
  ) {}

  /** Returns the current session. */
  async get(caller: Caller, visit: Visit): Promise<SessionView> {
    return this.signIns.view(caller, visit.token ?? '');
  }

  /** Marks that the user has signed in again. @throws as `Reauthentication.require`. */
  async prove(caller: Caller, proof: ProofDto, visit: Visit): Promise<void> {
    await this.reauthentication.require(caller, proof, visit);
  }

  async signOut(caller: Caller, visit: Visit): Promise<void> {
    await this.endAs('sign_out', caller, caller.sessionId ?? '', visit);
  }

  /** Lists all sessions of the user that have not expired, newest first. */
  async list({ userId, sessionId }: Caller): Promise<JsonResponse> {
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
   * Changes the user's password and ends their other sessions.
   * @throws AppError `invalid_request` if the current password is wrong, `rate_limited`.
   */
  async changePassword(caller: Caller, body: ChangePasswordDto, visit: Visit): Promise<void> {
    const { userId, sessionId } = caller;
    const { user, checked } = await this.reauthentication.requirePassword(
      caller,
      body.currentPassword,
      visit,
    );
    const hash = await this.passwords.hash(body.newPassword, user);
    await this.database.transaction(async () => {
      // A password that an invite link has set meanwhile must not be overwritten.
      if (!(await this.passwords.isStill(userId, checked.hash))) throw wrongPassword();
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
      await this.record(caller, action, id, visit.client.address);
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
}
