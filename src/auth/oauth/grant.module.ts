import { Module } from '@nestjs/common';
import { OauthGrantRepository } from './grant.repository';
import { OauthGrantService } from './grant.service';

/** What users have authorized applications to do. Without HTTP, for commands. */
@Module({
  providers: [OauthGrantService, OauthGrantRepository],
  exports: [OauthGrantService, OauthGrantRepository],
})
export class OauthGrantModule {}
