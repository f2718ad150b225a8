import { Global, Module } from '@nestjs/common';
import { ScimTokenRepository } from './scim-token.repository';
import { ScimTokenService } from './scim-token.service';

/** Tokens of directories. Global, because the caller guard of every route uses it. */
@Global()
@Module({
  providers: [ScimTokenService, ScimTokenRepository],
  exports: [ScimTokenService],
})
export class ScimTokenModule {}
