import { Injectable } from '@nestjs/common';
import { conflict } from '../../common/error/app-error';
import { Database } from '../../platform/database/database';
import { AccountService } from '../account.service';
import { type Actor, auditTarget } from '../audit/audit-action';
import { AuditService } from '../audit/audit.service';
import { PasskeyService } from '../factor/passkey.service';
import { InviteService } from '../invite/invite.service';
import { PasswordService } from '../password/password.service';
import { QuotaService } from '../quota/quota.service';
import { SessionService } from '../session/session.service';
import type { UserRecord } from '../user/user.repository';
import { UserService } from '../user/user.service';
import { type ProviderRecord, ProviderRepository } from './provider.repository';

/**
 * The rule that the users of an account sign in only by its providers. One owner is exempt, who can change the rule
 * if the providers are away.
 */
@Injectable()
export class ProviderRuleService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountService,
    private readonly users: UserService,
    private readonly passwords: PasswordService,
    private readonly passkeys: PasskeyService,
    private readonly invites: InviteService,
    private readonly sessions: SessionService,
    private readonly repository: ProviderRepository,
    private readonly quotas: QuotaService,
    private readonly audit: AuditService,
  ) {}

  /** Returns the user who is exempt; `null` if the account has no such rule. */
  async exemptUserOf(accountId: string): Promise<UserRecord | null> {
    const { exemptUserId } = await this.accounts.get(accountId);
    return exemptUserId === null ? null : (await this.users.getWithAccount(exemptUserId)).user;
  }

  /**
   * Sets or ends the rule. If it is set, the sessions of other users end that no provider started, and an invite link
   * of the user who is exempt. Keys are not
   * affected.
   * @param exemptUserId User who is exempt; `null` ends the rule.
   * @throws AppError `conflict` if the account has no provider, another user is exempt, or the user cannot sign in
   *   without a provider.
   */
  async set(accountId: string, exemptUserId: string | null, by: Actor): Promise<void> {
    await this.database.transaction(async () => {
      await this.quotas.lock(accountId);
      const { name, exemptUserId: before } = await this.accounts.get(accountId);
      if (exemptUserId === before) return;
      if (exemptUserId !== null) {
        if (before !== null)
          throw conflict(
            'Single sign-on is required already, with another owner as the exception.',
          );
        await this.requireExemptable(accountId, exemptUserId);
        // The link would sign in whoever has it as the one user who needs no provider.
        await this.invites.revoke(exemptUserId);
        await this.sessions.endWithoutProvider(accountId, exemptUserId);
      }
      await this.accounts.setExemptUser(accountId, exemptUserId);
      const action = exemptUserId === null ? 'provider_not_required' : 'provider_required';
      await this.audit.record(accountId, by, action, auditTarget('account', accountId, name));
    });
  }

  /** Requires that a user is an owner who can sign in without a provider, and that there is a provider. */
  private async requireExemptable(accountId: string, userId: string): Promise<void> {
    if ((await this.repository.listOf(accountId)).length === 0)
      throw conflict('This account has no provider. Add one first.');
    const owners = await this.users.holdOwners(accountId);
    if (!owners.some(({ id }) => id === userId))
      throw conflict('Only an active owner can require single sign-on.');
    if ((await this.passwords.has(userId)) || (await this.passkeys.hasAny(userId))) return;
    throw conflict(
      'You will be the only user who can sign in without a provider. Set a password or add a passkey first.',
    );
  }

  /** Returns the providers by which a user must sign in, oldest first; none if the user may sign in another way. */
  async listRequired(userId: string): Promise<ProviderRecord[]> {
    const { account } = await this.users.getWithAccount(userId);
    const { exemptUserId } = await this.accounts.get(account.id);
    const isFree = exemptUserId === null || exemptUserId === userId;
    return isFree ? [] : this.repository.listOf(account.id);
  }
}
