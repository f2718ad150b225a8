import { Get, HttpCode, Post } from '@nestjs/common';
import { Public } from '../../platform/http/access';
import { SmallJsonBody } from '../../platform/http/json-body';
import { ConsoleController, Token } from '../path-parameters';
import type { FactorChoice, SessionView } from '../session/sign-in.service';
import { NewPasswordDto } from '../session/session.dto';
import { CurrentVisit, type Visit } from '../visit';
import { ConsoleInviteService, type InviteView } from './console-invite.service';

/** Routes of an invite link. They need no session, because the link itself is the credential. */
@ConsoleController('invites/:token')
export class InviteController {
  constructor(private readonly invites: ConsoleInviteService) {}

  @Get()
  @Public()
  get(@Token() token: string): Promise<InviteView> {
    return this.invites.get(token);
  }

  @Post()
  @Public()
  @HttpCode(200)
  accept(
    @Token() token: string,
    @SmallJsonBody(NewPasswordDto) body: NewPasswordDto,
    @CurrentVisit() visit: Visit,
  ): Promise<SessionView | FactorChoice> {
    return this.invites.accept(token, body, visit);
  }
}
