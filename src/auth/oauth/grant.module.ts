import { Module } from '@nestjs/common';
import { OauthClientRepository } from './client.repository';
import { OauthGrantRepository } from './grant.repository';
import { OauthGrantService } from './grant.service';

/** What users have authorized applications to do. Without HTTP, for commands. */
@Module({
  providers: [OauthGrantService, OauthGrantRepository, OauthClientRepository],
  exports: [OauthGrantService, OauthGrantRepository, OauthClientRepository],
})
export class OauthGrantModule {}
