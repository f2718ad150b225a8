import { Module } from '@nestjs/common';
import { LaneSetRepository } from './lane-set.repository';
import { SigningSecrets } from './signing-secrets';
import { WebhookAdminRepository } from './webhook-admin.repository';
import { WebhookAdminService } from './webhook-admin.service';
import { WebhookResyncService } from './webhook-resync.service';
import { WebhookRepository } from './webhook.repository';
import { WebhookSecretRepository } from './webhook-secret.repository';
import { WebhookSecretService } from './webhook-secret.service';

/** Providers of the operator commands for webhooks. Sends nothing. */
@Module({
  providers: [
    WebhookAdminService,
    WebhookAdminRepository,
    WebhookRepository,
    WebhookResyncService,
    LaneSetRepository,
    WebhookSecretService,
    WebhookSecretRepository,
    SigningSecrets,
  ],
  exports: [WebhookAdminService, WebhookResyncService, WebhookSecretService],
})
export class WebhookCommandModule {}
