import { Injectable } from '@nestjs/common';
import { InviteService } from '../../auth/invite/invite.service';
import { AppConfig } from '../../platform/config/app-config';
import type { SessionView } from '../session/session-view';
import type { NewPasswordDto } from '../session/session.dto';
import { SignInService } from '../session/sign-in.service';
import type { Visit } from '../visit';

/** What the holder of a link is told. */
export interface InviteView {
  readonly email: string;
  readonly accountName: string;
  /** `reset` where the user has a password, which the link replaces. */
  readonly kind: 'invite' | 'reset';
  readonly expiresAt: Date;
}

/** Coming in by an invite's link. */
@Injectable()
export class ConsoleInviteService {
  constructor(
    private readonly config: AppConfig,
    private readonly invites: InviteService,
    private readonly signIns: SignInService,
  ) {}

  /** @throws AppError `not_found` */
  async get(token: string): Promise<InviteView> {
    const { email, accountName, hasPassword, expiresAt } = await this.invites.get(token);
    return { email, accountName, kind: hasPassword ? 'reset' : 'invite', expiresAt };
  }

  /**
   * Sets the password, and signs in; earlier sessions of the user end.
   * @throws AppError `not_found`, `account_suspended`, `forbidden`
   */
  async accept(token: string, { password }: NewPasswordDto, visit: Visit): Promise<SessionView> {
    visit.requireSameOrigin(this.config.publicUrl);
    return this.signIns.begin(await this.invites.accept(token, password), visit);
  }
}
