import { Module } from '@nestjs/common';
import { LaneSetRepository } from './lane-set.repository';
import { SigningSecrets } from './signing-secrets';
import { WebhookResyncService } from './webhook-resync.service';
import { WebhookSecretRepository } from './webhook-secret.repository';
import { WebhookSecretService } from './webhook-secret.service';

/** What operator commands need of webhooks. Sends nothing. */
@Module({
  providers: [
    WebhookResyncService,
    LaneSetRepository,
    WebhookSecretService,
    WebhookSecretRepository,
    SigningSecrets,
  ],
  exports: [WebhookResyncService, WebhookSecretService],
})
export class WebhookCommandModule {}
