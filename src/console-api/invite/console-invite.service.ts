import { Injectable } from '@nestjs/common';
import { InviteService } from '../../auth/invite/invite.service';
import { UserService } from '../../auth/user/user.service';
import { AppConfig } from '../../platform/config/app-config';
import { type FactorChoice, type SessionView, SignInService } from '../session/sign-in.service';
import type { NewPasswordDto } from '../session/session.dto';
import type { Visit } from '../visit';

/** Data of an invite that the holder of the link may see. */
export interface InviteView {
  readonly email: string;
  readonly accountName: string;
  /** `reset` if the user has a password, which the link replaces. */
  readonly kind: 'invite' | 'reset';
  readonly expiresAt: Date;
}

/** Sets passwords and signs users in by invite link. */
@Injectable()
export class ConsoleInviteService {
  constructor(
    private readonly config: AppConfig,
    private readonly invites: InviteService,
    private readonly users: UserService,
    private readonly signIns: SignInService,
  ) {}

  /** @throws AppError `not_found` */
  async get(token: string): Promise<InviteView> {
    const { email, accountName, hasPassword, expiresAt } = await this.invites.get(token);
    return { email, accountName, kind: hasPassword ? 'reset' : 'invite', expiresAt };
  }

  /**
   * Sets the password and signs the user in, unless sign-ins ask for a second factor. The user's earlier
   * sessions end.
   * @throws AppError `not_found`, `account_suspended`, `forbidden`
   */
  async accept(
    token: string,
    { password }: NewPasswordDto,
    visit: Visit,
  ): Promise<SessionView | FactorChoice> {
    visit.requireSameOrigin(this.config.publicUrl);
    const { userId } = await this.invites.get(token);
    await this.signIns.requireNoProvider(await this.users.getWithAccount(userId), visit);
    return this.signIns.begin(await this.invites.accept(token, password), visit);
  }
}
