import { Injectable } from '@nestjs/common';
import { InviteService, type InviteLink } from '../../auth/invite/invite.service';
import { PasswordService } from '../../auth/password/password.service';
import type { UserRecord } from '../../auth/user/user.repository';
import { UserService } from '../../auth/user/user.service';
import type { Caller } from '../../common/caller/caller';
import type { BareJson } from '../../common/envelope/bare-json';
import { Database } from '../../platform/database/database';
import type { Visit } from '../visit';
import { wholeList } from '../whole-list';
import type { CreateUserDto, UpdateUserDto } from './user.dto';

/** A user as the account's owners see them. */
export interface UserView extends Pick<
  UserRecord,
  'id' | 'email' | 'role' | 'suspended' | 'createdAt'
> {
  /** Without one they have not come in yet. */
  readonly hasPassword: boolean;
}

/** A link that is to be passed on. */
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
    private readonly passwords: PasswordService,
    private readonly invites: InviteService,
  ) {}

  /** All of them, the first that was made first. */
  async list({ accountId }: Caller): Promise<BareJson> {
    const [users, holders] = await Promise.all([
      this.users.listOf(accountId),
      this.passwords.findHolders(accountId),
    ]);
    return wholeList(users.map((user) => view(user, holders.has(user.id))));
  }

  /** Makes a user with a link to come in by. @throws AppError `invalid_request` or `conflict` */
  async create(caller: Caller, body: CreateUserDto, visit: Visit): Promise<InvitedUser> {
    return this.database.transaction(async () => {
      const user = await this.users.create(caller.accountId, body.email, body.role, caller);
      const link = await this.invites.create(user, caller, visit.origin);
      return { user: view(user, false), ...link };
    });
  }

  /** Makes another link; the one before is good no more. @throws AppError `not_found` */
  async invite(caller: Caller, id: string, visit: Visit): Promise<NewLink> {
    const user = await this.users.getIn(caller.accountId, id);
    return this.invites.create(user, caller, visit.origin);
  }

  /** @throws AppError `not_found`, or `conflict` for the last active owner. */
  async update(caller: Caller, id: string, body: UpdateUserDto): Promise<UserView> {
    const { role, suspended } = body;
    const change = { ...(role && { role }), ...(suspended !== undefined && { suspended }) };
    const user = await this.users.changeIn(caller.accountId, id, change, caller);
    return view(user, await this.passwords.has(id));
  }
}

function view(user: UserRecord, hasPassword: boolean): UserView {
  const { id, email, role, suspended, createdAt } = user;
  return { id, email, role, suspended, hasPassword, createdAt };
}
