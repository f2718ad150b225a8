import { Module } from '@nestjs/common';
import { OpenidClient } from './openid-client';
import { ProviderLogoutService } from './provider-logout.service';
import { ProviderRepository } from './provider.repository';
import { ProviderRuleService } from './provider-rule.service';
import { ProviderSecretService } from './provider-secret.service';
import { ProviderService } from './provider.service';
import { ProviderSignInService } from './provider-sign-in.service';
import { SamlMetadataReader } from './saml-metadata-reader';
import { SamlProviderService } from './saml-provider.service';
import { SamlSignInService } from './saml-sign-in.service';

/** Identity providers of accounts. */
@Module({
  providers: [
    OpenidClient,
    ProviderService,
    ProviderSignInService,
    ProviderRuleService,
    ProviderLogoutService,
    ProviderSecretService,
    ProviderRepository,
    SamlMetadataReader,
    SamlProviderService,
    SamlSignInService,
  ],
  exports: [
    SamlProviderService,
    SamlSignInService,
    ProviderService,
    ProviderRuleService,
    ProviderSignInService,
    ProviderLogoutService,
    ProviderSecretService,
  ],
})
export class ProviderModule {}
