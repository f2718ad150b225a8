import { Injectable } from '@nestjs/common';
import { isEmail } from 'class-validator';
import { conflict, invalidRequest, notFound } from '../../common/error/app-error';
import type { Role } from '../../common/permission/permission';
import { foldName, isUuid, newId } from '../../common/text/id';
import { AppConfig } from '../../platform/config/app-config';
import { Database } from '../../platform/database/database';
import { ChangeListener } from '../../platform/database/change-listener';
import { onDuplicate } from '../../platform/database/database-error';
import { type Actor, auditTarget, type AuditTarget } from '../audit/audit-action';
import { AuditService } from '../audit/audit.service';
import type { AccountEntity } from '../account.entity';
import { AccountRepository } from '../account.repository';
import { quotaExceeded } from '../quota/quota.service';
import { UserRepository, type UserRecord } from './user.repository';
import type { WorkspaceGrant } from './workspace-role.repository';
import { WorkspaceRoleService } from './workspace-role.service';

export interface UserWithAccount {
  readonly user: UserRecord;
  readonly account: AccountEntity;
}

export interface UserChange extends Partial<Pick<UserRecord, 'role' | 'suspended' | 'email'>> {
  /** Replaces all roles in single workspaces. */
  readonly workspaceRoles?: readonly WorkspaceGrant[];
}

/** Roles that something outside the service gives a user. */
export interface GivenRoles {
  /** Role in the account; `null` for none. */
  readonly role: Role | null;
  /** A role in each of some workspaces. */
  readonly workspaceRoles: readonly WorkspaceGrant[];
}

/**
 * Domain of the email addresses of service accounts. Nobody receives mail there (RFC 2606), so that
 * a service account cannot be a person.
 */
const SERVICE_DOMAIN = 'service-account.invalid';

/** Names of service accounts. Each is the local part of an email address. */
export const SERVICE_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
export const SERVICE_NAME_RULE =
  'must have 1 to 63 lowercase letters, digits or hyphens, with no hyphen at either end';

/** Columns of a user that change. */
const COLUMNS = ['role', 'suspended', 'suspendedByDirectory', 'email', 'emailKey'] as const;

/**
 * Users of accounts. An email address identifies one user in an account, ignoring case. Several
 * accounts may use the same address.
 */
@Injectable()
export class UserService {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly repository: UserRepository,
    private readonly accounts: AccountRepository,
    private readonly workspaceRoles: WorkspaceRoleService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Creates a user. Reveals nothing about other accounts, which may use the same email address.
   * @throws AppError `invalid_request` or `conflict`, naming the email address; `quota_exceeded`.
   */
  async create(accountId: string, email: string, role: Role, by: Actor): Promise<UserRecord> {
    requireEmail(email);
    return this.insert({ accountId, email, role, isService: false }, by);
  }

  /**
   * Creates a service account: a user whose keys do not depend on a person.
   * @param name Lowercase letters, digits and hyphens. Becomes part of its email address.
   * @throws AppError `conflict` if the name is taken; `quota_exceeded`.
   */
  async createService(accountId: string, name: string, role: Role, by: Actor): Promise<UserRecord> {
    const email = `${name}@${SERVICE_DOMAIN}`;
    return this.insert({ accountId, email, role, isService: true }, by);
  }

  private async insert(
    properties: Pick<UserRecord, 'accountId' | 'email' | 'role' | 'isService'>,
    by: Actor,
  ): Promise<UserRecord> {
    const { accountId, email, role, isService } = properties;
    const user: UserRecord = {
      ...properties,
      id: newId(),
      emailKey: foldName(email),
      suspended: false,
      suspendedByDirectory: false,
      createdAt: new Date(),
    };
    if (isService && role === 'owner') throw serviceOwner();
    await onDuplicate('users_email', emailTaken, () =>
      this.database.transaction(async () => {
        await this.accounts.hold(accountId);
        await this.requireRoom(accountId);
        await this.repository.insert(user);
        const details = { role, ...(isService && { service: 'true' }) };
        await this.audit.record(accountId, by, 'user_created', targetOf(user), { details });
      }),
    );
    return user;
  }

  /** Lists the users with an email address, one per account, oldest first. */
  async listByEmail(email: string): Promise<UserWithAccount[]> {
    const users = await this.repository.listByEmailKey(foldName(email));
    return users.map((user) => ({ user, account: user.account }));
  }

  /**
   * Returns the user with an email address, for operators.
   * @param accountId Required if several accounts have a user with this email address.
   * @throws AppError `not_found`, or `conflict` naming the accounts.
   */
  async getByEmail(email: string, accountId?: string): Promise<UserRecord> {
    const users = await this.listByEmail(email);
    const found = users.filter(
      ({ account }) => accountId === undefined || account.id === accountId,
    );
    const [first] = found;
    if (!first) throw notFound();
    if (found.length > 1) throw severalAccounts(email, found);
    return first.user;
  }

  /**
   * Locks an email address until the end of the transaction. Use inside a transaction. Other
   * callers that lock the address wait.
   */
  async lockEmail(email: string): Promise<void> {
    await this.repository.lockEmail(foldName(email));
  }

  /**
   * Locks a user until the end of the transaction, so that no other transaction adds keys or
   * sessions. Use inside a transaction.
   */
  async lock(id: string): Promise<void> {
    await this.repository.lock(id);
  }

  /** @throws AppError `not_found` */
  async getWithAccount(id: string): Promise<UserWithAccount> {
    const user = await this.repository.findWithAccount(id);
    if (!user) throw notFound();
    return { user, account: user.account };
  }

  /**
   * Takes effect on the next request.
   * @throws AppError as `getByEmail`, or `conflict` if the account would have no active owner.
   */
  async setRole(email: string, role: Role, accountId?: string): Promise<UserRecord> {
    return this.change(() => this.getByEmail(email, accountId), { role }, 'operator');
  }

  /**
   * Takes effect on the next request.
   * @throws AppError as `getByEmail`, or `conflict` if the account would have no active owner.
   */
  async setSuspended(email: string, suspended: boolean, accountId?: string): Promise<UserRecord> {
    return this.change(() => this.getByEmail(email, accountId), { suspended }, 'operator');
  }

  /** Lists all users of an account, oldest first. */
  async listOf(accountId: string): Promise<UserRecord[]> {
    return this.repository.listOf(accountId);
  }

  /** @throws AppError `not_found` if the account has no such user. */
  async getIn(accountId: string, id: string): Promise<UserRecord> {
    const user = isUuid(id) ? await this.repository.findIn(accountId, id) : null;
    if (!user) throw notFound();
    return user;
  }

  /**
   * Changes a user of the account. Takes effect on the next request.
   * @throws AppError `not_found`; `conflict` if the account would have no active owner, or if a
   *   service account would be an owner; `invalid_request` for an unknown workspace.
   */
  async changeIn(
    accountId: string,
    id: string,
    change: UserChange,
    by: Actor,
  ): Promise<UserRecord> {
    return this.change(() => this.getIn(accountId, id), change, by);
  }

  /**
   * Gives a user roles that something outside the service decides, unless the user is an owner.
   * @param roles `null` keeps the role. Roles in other workspaces stay, and unknown workspaces are ignored.
   * @throws AppError `not_found`
   */
  async giveRoles(
    accountId: string,
    id: string,
    { role, workspaceRoles }: GivenRoles,
    by: Actor,
  ): Promise<void> {
    const changeOf = async (user: UserRecord): Promise<UserChange> => {
      if (user.role === 'owner') return {};
      const grants = await this.workspaceRoles.merge(user, workspaceRoles);
      return {
        ...(role !== null && role !== user.role && { role }),
        ...(grants && { workspaceRoles: grants }),
      };
    };
    if (Object.keys(await changeOf(await this.getIn(accountId, id))).length === 0) return;
    await this.change(() => this.getIn(accountId, id), changeOf, by);
  }

  /**
   * Like `changeIn`, inside a transaction. After its commit, `ChangeListener.waitUntilPropagated` waits until no
   * process uses what it knew of the user before.
   */
  async changeInTransaction(
    accountId: string,
    id: string,
    change: UserChange,
    by: Actor,
  ): Promise<UserRecord> {
    return this.applied(() => this.getIn(accountId, id), change, by);
  }

  private async requireRoom(accountId: string): Promise<void> {
    const { maxUsersPerAccount } = this.config;
    if ((await this.repository.count(accountId)) < maxUsersPerAccount) return;
    throw quotaExceeded('users', maxUsersPerAccount);
  }

  private async change(
    get: () => Promise<UserRecord>,
    wanted: UserChange | ((user: UserRecord) => Promise<UserChange>),
    by: Actor,
  ): Promise<UserRecord> {
    const changed = await this.database.transaction(() => this.applied(get, wanted, by));
    await ChangeListener.waitUntilPropagated();
    return changed;
  }

  private async applied(
    get: () => Promise<UserRecord>,
    wanted: UserChange | ((user: UserRecord) => Promise<UserChange>),
    by: Actor,
  ): Promise<UserRecord> {
    const { accountId, id } = await get();
    const owners = await this.repository.lockActiveOwners(accountId);
    await this.repository.lock(id);
    // Reads the user again under the locks, to see concurrent changes.
    const user = await get();
    const change = typeof wanted === 'function' ? await wanted(user) : wanted;
    const { workspaceRoles, ...sent } = change;
    const properties = { ...sent, ...suspensionOf(user, sent, by) };
    const { email = user.email } = properties;
    const after = { ...user, ...properties, email, emailKey: foldName(email) };
    const isLast = owners.length === 1 && owners[0]?.id === user.id;
    if (isLast && (!isActiveOwner(after) || after.emailKey !== user.emailKey))
      throw lastOwner(user.email);
    if (!isActiveOwner(after)) await this.requireNotExempt(user);
    // Two addresses with one key are not the same mailbox.
    const isMoved = email.toLowerCase() !== user.email.toLowerCase();
    if (isMoved && user.role === 'owner' && isDirectory(by))
      throw conflict('A directory cannot change the email address of an owner.');
    if (after.isService && after.role === 'owner') throw serviceOwner();
    if (email !== user.email) requireEmail(email);
    const columns = COLUMNS.filter((each) => after[each] !== user[each]);
    if (columns.length > 0) {
      const values = Object.fromEntries(columns.map((each) => [each, after[each]]));
      await onDuplicate('users_email', emailTaken, () => this.repository.update(id, values));
    }
    if (workspaceRoles) await this.workspaceRoles.replace(user, workspaceRoles, by);
    await this.recordChange(user, after, by);
    return after;
  }

  /**
   * Requires that a user is not the one who may sign in without a provider when the account requires single sign-on.
   * @throws AppError `conflict`
   */
  async requireNotExempt({ id, accountId, email }: UserRecord): Promise<void> {
    const account = await this.accounts.find(accountId);
    if (account?.exemptUserId !== id) return;
    throw conflict(
      `${email} is the only user who can sign in without single sign-on. Stop requiring it first.`,
    );
  }

  /**
   * Returns the active owners of an account, and keeps their roles until the end of the transaction. Use inside a
   * transaction.
   */
  async holdOwners(accountId: string): Promise<UserRecord[]> {
    return this.repository.lockActiveOwners(accountId);
  }

  private async recordChange(before: UserRecord, after: UserRecord, by: Actor): Promise<void> {
    const { accountId } = before;
    const target = targetOf(before);
    if (after.email !== before.email) {
      const details = { from: before.email, to: after.email };
      await this.audit.record(accountId, by, 'user_email_changed', target, { details });
    }
    if (after.role !== before.role) {
      const details = { from: before.role, to: after.role };
      await this.audit.record(accountId, by, 'user_role_changed', target, { details });
    }
    if (after.suspended !== before.suspended) {
      const action = after.suspended ? 'user_suspended' : 'user_resumed';
      await this.audit.record(accountId, by, action, target);
    }
  }
}

function targetOf({ id, email }: UserRecord): AuditTarget {
  return auditTarget('user', id, email);
}

/** @throws AppError `invalid_request` */
function requireEmail(email: string): void {
  const code = 'invalid_format';
  if (!isEmail(email)) {
    const message = 'must be a valid email address';
    throw invalidRequest([{ field: 'email', code, message }]);
  }
  if (!foldName(email).endsWith(`@${SERVICE_DOMAIN}`)) return;
  const message = 'must not be an address of a service account';
  throw invalidRequest([{ field: 'email', code, message }]);
}

const isDirectory = (by: Actor): boolean => typeof by === 'object' && 'scimToken' in by;

/**
 * Returns how a change suspends or resumes a user. A directory lets in again only whom it has suspended itself, and
 * never an owner: for others, the user stays suspended.
 */
function suspensionOf(
  { role, suspended: before, suspendedByDirectory }: UserRecord,
  { suspended }: UserChange,
  by: Actor,
): Partial<Pick<UserRecord, 'suspended' | 'suspendedByDirectory'>> {
  if (suspended === undefined) return {};
  if (!isDirectory(by)) return { suspended, suspendedByDirectory: false };
  if (suspended) return { suspended, suspendedByDirectory: !before || suspendedByDirectory };
  const mayResume = !before || (suspendedByDirectory && role !== 'owner');
  return mayResume ? { suspended, suspendedByDirectory: false } : { suspended: before };
}

function isActiveOwner({ role, suspended }: UserRecord): boolean {
  return role === 'owner' && !suspended;
}

function lastOwner(email: string): Error {
  return conflict(
    `${email} is the last active owner of the account. Make another user an owner first, or ` +
      'suspend the account.',
  );
}

function serviceOwner(): Error {
  return conflict('A service account cannot be an owner. Give it another role.');
}

function severalAccounts(email: string, found: readonly UserWithAccount[]): Error {
  const accounts = found.map(({ account: { id, name } }) => `${id} (${name})`).join(', ');
  return conflict(`Several accounts have a user ${email}. Name one by --account: ${accounts}`);
}

function emailTaken(): Error {
  const message = 'is already used by another user of this account';
  return conflict(`email: ${message}`, [{ field: 'email', code: 'duplicate', message }]);
}
