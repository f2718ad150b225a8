import { Global, Module } from '@nestjs/common';
import { AccountRepository } from './account/account.repository';
import { AccountService } from './account/account.service';
import { ApiKeyRepository } from './api-key/api-key.repository';
import { ApiKeyService } from './api-key/api-key.service';
import { CallerMemory } from './api-key/caller-memory';
import { AuthController } from './auth.controller';
import { AuthService } from './auth.service';
import { UserRepository } from './user/user.repository';
import { UserService } from './user/user.service';

/** Accounts, users and keys. Global, for the guards of every route. */
@Global()
@Module({
  controllers: [AuthController],
  providers: [
    AuthService,
    AccountService,
    AccountRepository,
    UserService,
    UserRepository,
    ApiKeyService,
    ApiKeyRepository,
    CallerMemory,
  ],
  exports: [AccountService, UserService, ApiKeyService],
})
export class AuthModule {}
