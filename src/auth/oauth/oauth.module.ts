import { Module } from '@nestjs/common';
import { OauthAuthorizationService } from './authorization.service';
import { ClientDocuments } from './client-document';
import { OauthClientService } from './client.service';
import { OauthGrantModule } from './grant.module';
import { OauthController } from './oauth.controller';
import { OauthService } from './oauth.service';
import { OauthTokenService } from './token.service';

/** Authorization server for applications and assistants. */
@Module({
  imports: [OauthGrantModule],
  controllers: [OauthController],
  providers: [
    OauthService,
    OauthAuthorizationService,
    OauthTokenService,
    OauthClientService,
    ClientDocuments,
  ],
  exports: [OauthAuthorizationService, OauthGrantModule],
})
export class OauthModule {}
