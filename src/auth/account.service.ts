import { Injectable } from '@nestjs/common';
import { conflict, invalidRequest, notFound } from '../common/error/app-error';
import { isUuid, newId } from '../common/text/id';
import { ChangeListener } from '../platform/database/change-listener';
import { Database } from '../platform/database/database';
import { AuditService } from './audit/audit.service';
import { type Actor, auditTarget } from './audit/audit-action';
import { UserService } from './user/user.service';
import type { AccountEntity } from './account.entity';
import { AccountRepository } from './account.repository';

export interface CreatedAccount {
  readonly accountId: string;
  /** Id of the account's first owner. */
  readonly userId: string;
}

/** Creates, finds and suspends accounts. */
@Injectable()
export class AccountService {
  constructor(
    private readonly database: Database,
    private readonly repository: AccountRepository,
    private readonly users: UserService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Creates an account and its first owner in one transaction.
   * @param mayShareEmail Whether the owner's email address may belong to a user of another account.
   * @throws AppError `invalid_request`; `conflict` if another account has a user with this email
   *   address and `mayShareEmail` is false, so that a command that runs twice creates one account.
   */
  async create(name: string, ownerEmail: string, mayShareEmail = false): Promise<CreatedAccount> {
    const trimmed = name.trim();
    if (trimmed === '') {
      throw invalidRequest([{ field: 'name', code: 'required', message: 'must not be empty' }]);
    }
    return this.database.transaction(async () => {
      await this.users.lockEmail(ownerEmail);
      if (!mayShareEmail) await this.requireNewEmail(ownerEmail);
      const accountId = newId();
      const createdAt = new Date();
      await this.repository.insert({
        ...{ id: accountId, name: trimmed, createdAt },
        ...{ suspended: false, requiresSecondFactor: false, exemptUserId: null },
      });
      const target = auditTarget('account', accountId, trimmed);
      await this.audit.record(accountId, 'operator', 'account_created', target);
      const owner = await this.users.create(accountId, ownerEmail, 'owner', 'operator');
      return { accountId, userId: owner.id };
    });
  }

  private async requireNewEmail(email: string): Promise<void> {
    const [other] = await this.users.listByEmail(email);
    if (!other) return;
    throw conflict(
      `${email} is a user of account ${other.account.id} (${other.account.name}). ` +
        'Repeat with --share-email to make another account for the same person.',
    );
  }

  /** @throws AppError `not_found` */
  async get(id: string): Promise<AccountEntity> {
    const account = isUuid(id) ? await this.repository.find(id) : null;
    if (!account) throw notFound();
    return account;
  }

  /** Returns whether no account exists yet. */
  async isEmpty(): Promise<boolean> {
    return this.repository.isEmpty();
  }

  /** Takes effect on the next request. @throws AppError `not_found` */
  async setSuspended(id: string, suspended: boolean): Promise<void> {
    await this.database.transaction(async () => {
      const { name } = await this.get(id);
      await this.repository.setSuspended(id, suspended);
      const action = suspended ? 'account_suspended' : 'account_resumed';
      await this.audit.record(id, 'operator', action, auditTarget('account', id, name));
    });
    await ChangeListener.waitUntilPropagated();
  }

  /**
   * Sets whether all users need a second factor. Takes effect on the next request of each session. Keys are
   * not affected.
   */
  async setRequiresSecondFactor(id: string, isRequired: boolean, by: Actor): Promise<void> {
    await this.database.transaction(async () => {
      if (!(await this.repository.setRequiresSecondFactor(id, isRequired))) return;
      const { name } = await this.get(id);
      const action = isRequired ? 'factor_required' : 'factor_not_required';
      await this.audit.record(id, by, action, auditTarget('account', id, name));
    });
  }

  /** Sets the only user who may sign in without a provider; `null` if all may. Use inside a transaction. */
  async setExemptUser(id: string, userId: string | null): Promise<void> {
    await this.repository.setExemptUser(id, userId);
  }
}
