import { Injectable } from '@nestjs/common';
import { auditTarget } from '../auth/audit/audit-action';
import { AuditService } from '../auth/audit/audit.service';
import { Database } from '../platform/database/database';
import { Logger } from '../platform/logging/logger';
import { LaneSetRepository } from './lane-set.repository';
import type { DisabledReason } from './webhook.entity';
import { WebhookRepository } from './webhook.repository';

/** Disables webhooks whose endpoint asks for it or fails for too long, or whose filter is invalid. */
@Injectable()
export class WebhookHealthService {
  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhookRepository,
    private readonly lanes: LaneSetRepository,
    private readonly audit: AuditService,
    private readonly logger: Logger,
  ) {}

  /**
   * Disables a webhook. It keeps its positions, from which it continues when a user enables it.
   * @param filter The invalid filter, if that is the reason. A user may have replaced it.
   */
  async disable(
    { webhookId, accountId, url }: { webhookId: string; accountId: string; url: string },
    reason: DisabledReason,
    filter: string | null = null,
  ): Promise<void> {
    const isDisabled = await this.database.transaction(async () => {
      if (!(await this.webhooks.disable(webhookId, reason, filter))) return false;
      await this.lanes.fence(webhookId, 0);
      const target = auditTarget('webhook', webhookId, hostNameOf(url));
      const details = { reason };
      await this.audit.record(accountId, 'service', 'webhook_disabled', target, { details });
      return true;
    });
    if (isDisabled) this.logger.pino.warn({ accountId, webhookId, reason }, 'webhook disabled');
  }
}

/** Name of a webhook in the audit log. The rest of its URL may contain a secret. */
export function hostNameOf(url: string): string {
  return new URL(url).host;
}
