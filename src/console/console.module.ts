import { Module } from '@nestjs/common';
import { ConsoleKeyService } from './key/console-key.service';
import { KeyController } from './key/key.controller';
import { ConsoleSessionService } from './session/console-session.service';
import { SessionController } from './session/session.controller';
import { SignInLimits } from './session/sign-in-limits';

/** What the web console asks for, and its pages. */
@Module({
  controllers: [SessionController, KeyController],
  providers: [ConsoleSessionService, SignInLimits, ConsoleKeyService],
})
export class ConsoleModule {}
