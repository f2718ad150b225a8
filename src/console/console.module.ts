import { Module } from '@nestjs/common';
import { ConsoleInviteService } from './invite/console-invite.service';
import { InviteController } from './invite/invite.controller';
import { ConsoleKeyService } from './key/console-key.service';
import { KeyController } from './key/key.controller';
import { ConsoleSessionService } from './session/console-session.service';
import { SessionController } from './session/session.controller';
import { SignInLimits } from './session/sign-in-limits';
import { ConsoleUserService } from './user/console-user.service';
import { UserController } from './user/user.controller';

/** What the web console asks for, and its pages. */
@Module({
  controllers: [SessionController, InviteController, UserController, KeyController],
  providers: [
    ConsoleSessionService,
    SignInLimits,
    ConsoleInviteService,
    ConsoleUserService,
    ConsoleKeyService,
  ],
})
export class ConsoleModule {}
