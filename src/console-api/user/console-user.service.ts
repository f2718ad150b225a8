import { Injectable } from '@nestjs/common';
import { FactorService } from '../../auth/factor/factor.service';
import { InviteService, type InviteLink } from '../../auth/invite/invite.service';
import { PasswordService } from '../../auth/password/password.service';
import type { UserRecord } from '../../auth/user/user.repository';
import { UserService } from '../../auth/user/user.service';
import { WorkspaceRoleService } from '../../auth/user/workspace-role.service';
import type { WorkspaceGrant } from '../../auth/user/workspace-role.repository';
import type { Caller } from '../../common/caller/app-request';
import type { JsonResponse } from '../../common/envelope/json-response';
import { conflict, notFound } from '../../common/error/app-error';
import { Database } from '../../platform/database/database';
import type { Visit } from '../visit';
import { wholeList } from '../path-parameters';
import type { CreateUserDto, UpdateUserDto } from './user.dto';

/** A user, for the owners of the account. */
export interface UserView extends Pick<
  UserRecord,
  'id' | 'email' | 'role' | 'suspended' | 'isService' | 'createdAt'
> {
  /** False until the user has first signed in by an invite link. */
  readonly hasPassword: boolean;
  /** Whether sign-ins ask for a second factor. */
  readonly hasSecondFactor: boolean;
  /** Roles in single workspaces. */
  readonly workspaceRoles: readonly WorkspaceGrant[];
}

/** An invite link that the owner passes on to the user. */
export type NewLink = InviteLink;

export interface InvitedUser extends NewLink {
  readonly user: UserView;
}

/** The users of an account, for its owners. */
@Injectable()
export class ConsoleUserService {
  constructor(
    private readonly database: Database,
    private readonly users: UserService,
    private readonly workspaceRoles: WorkspaceRoleService,
    private readonly passwords: PasswordService,
    private readonly factors: FactorService,
    private readonly invites: InviteService,
  ) {}

  /** Lists all users of the account, oldest first. */
  async list({ accountId }: Caller): Promise<JsonResponse> {
    const [users, passwords, factors, roles] = await Promise.all([
      this.users.listOf(accountId),
      this.passwords.listHolders(accountId),
      this.factors.listHolders(accountId),
      this.workspaceRoles.listOf(accountId),
    ]);
    const grants = new Map<string, WorkspaceGrant[]>();
    for (const grant of roles) {
      const others = grants.get(grant.userId);
      if (others) others.push(grant);
      else grants.set(grant.userId, [grant]);
    }
    return wholeList(
      users.map((user) => {
        const has = { password: passwords.has(user.id), secondFactor: factors.has(user.id) };
        return userView(user, has, grants.get(user.id) ?? []);
      }),
    );
  }

  /**
   * Creates a user and an invite link.
   * @throws AppError `invalid_request`, `conflict` or `quota_exceeded`
   */
  async create(caller: Caller, body: CreateUserDto, visit: Visit): Promise<InvitedUser> {
    return this.database.transaction(async () => {
      const user = await this.users.create(caller.accountId, body.email, body.role, caller);
      const link = await this.invites.create(user, caller, visit.origin);
      return { user: userView(user, NO_CREDENTIALS, []), ...link };
    });
  }

  /**
   * Creates a new link. The previous link becomes invalid.
   * @throws AppError `not_found`, or `conflict` if PUBLIC_URL is needed and not set.
   */
  async invite(caller: Caller, id: string, visit: Visit): Promise<NewLink> {
    const user = await this.users.getIn(caller.accountId, id);
    await this.users.requireNotExempt(user);
    return this.invites.create(user, caller, visit.origin);
  }

  /**
   * @throws AppError `not_found`; `conflict` for the last active owner, or for a service account
   *   that would be an owner; `invalid_request` for an unknown workspace.
   */
  async update(caller: Caller, id: string, body: UpdateUserDto): Promise<UserView> {
    const { role, suspended, workspaceRoles } = body;
    const change = {
      ...(role && { role }),
      ...(suspended !== undefined && { suspended }),
      ...(workspaceRoles && { workspaceRoles }),
    };
    const user = await this.users.changeIn(caller.accountId, id, change, caller);
    const roles = await this.workspaceRoles.listOfUser(user.id);
    const [password, secondFactor] = await Promise.all([
      this.passwords.has(id),
      this.factors.hasFactor(id),
    ]);
    return userView(user, { password, secondFactor }, roles);
  }

  /**
   * Removes the second factor of another user, who has lost it.
   * @throws AppError `not_found` also if there is none; `conflict` for the caller.
   */
  async removeFactors(caller: Caller, id: string): Promise<void> {
    if (id === caller.userId) throw conflict('Remove your own second factor in your profile.');
    const user = await this.users.getIn(caller.accountId, id);
    await this.users.requireNotExempt(user);
    if (!(await this.factors.remove(user, caller))) throw notFound('Second factor');
  }
}

/** Whether a user has a password and a second factor. */
interface Credentials {
  readonly password: boolean;
  readonly secondFactor: boolean;
}

export const NO_CREDENTIALS: Credentials = { password: false, secondFactor: false };

export function userView(
  user: UserRecord,
  has: Credentials,
  grants: readonly WorkspaceGrant[],
): UserView {
  const { id, email, role, suspended, isService, createdAt } = user;
  const credentials = { hasPassword: has.password, hasSecondFactor: has.secondFactor };
  const workspaceRoles = grants.map((grant) => ({
    workspaceId: grant.workspaceId,
    role: grant.role,
  }));
  return { id, email, role, suspended, isService, ...credentials, createdAt, workspaceRoles };
}
