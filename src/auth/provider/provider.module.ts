import { Module } from '@nestjs/common';
import { OpenidClient } from './openid-client';
import { ProviderRepository } from './provider.repository';
import { ProviderSecretService } from './provider-secret.service';
import { ProviderService } from './provider.service';
import { ProviderSignInService } from './provider-sign-in.service';

/** OpenID providers of accounts. */
@Module({
  providers: [
    OpenidClient,
    ProviderService,
    ProviderSignInService,
    ProviderSecretService,
    ProviderRepository,
  ],
  exports: [ProviderService, ProviderSignInService, ProviderSecretService],
})
export class ProviderModule {}
