import { Module } from '@nestjs/common';
import { OpenidClient } from './openid-client';
import { ProviderLogoutService } from './provider-logout.service';
import { ProviderRepository } from './provider.repository';
import { ProviderRuleService } from './provider-rule.service';
import { ProviderSecretService } from './provider-secret.service';
import { ProviderService } from './provider.service';
import { ProviderSignInService } from './provider-sign-in.service';

/** OpenID providers of accounts. */
@Module({
  providers: [
    OpenidClient,
    ProviderService,
    ProviderSignInService,
    ProviderRuleService,
    ProviderLogoutService,
    ProviderSecretService,
    ProviderRepository,
  ],
  exports: [
    ProviderService,
    ProviderRuleService,
    ProviderSignInService,
    ProviderLogoutService,
    ProviderSecretService,
  ],
})
export class ProviderModule {}
