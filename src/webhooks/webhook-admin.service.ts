import { Injectable } from '@nestjs/common';
import { auditTarget } from '../auth/audit/audit-action';
import { AuditService } from '../auth/audit/audit.service';
import { notFound } from '../common/error/app-error';
import { isUuid } from '../common/text/id';
import { AppConfig } from '../platform/config/app-config';
import { Database } from '../platform/database/database';
import { LaneSetRepository } from './lane-set.repository';
import {
  type OperatedWebhook,
  WebhookAdminRepository,
  type WebhookFilter,
} from './webhook-admin.repository';
import { hostNameOf } from './webhook-health.service';
import type { DisabledReason } from './webhook.entity';
import { WebhookRepository } from './webhook.repository';
import { attemptMs } from './webhook.service';

/** Webhooks of all accounts, for operators: which of them fail, and what to do about it. */
@Injectable()
export class WebhookAdminService {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly repository: WebhookAdminRepository,
    private readonly webhooks: WebhookRepository,
    private readonly lanes: LaneSetRepository,
    private readonly audit: AuditService,
  ) {}

  /** Returns up to `limit` webhooks, those first whose events wait longest, and the total. */
  async list(filter: WebhookFilter, limit: number): Promise<[OperatedWebhook[], number]> {
    return this.repository.list(filter, limit);
  }

  /**
   * Disables a webhook. Its positions stay, so that it goes on there when a user enables it. One that
   * is disabled already stays as it is.
   * @returns why it is disabled.
   * @throws AppError `not_found`
   */
  async disable(id: string): Promise<DisabledReason | null> {
    return this.database.transaction(async () => {
      const isDisabled = isUuid(id) && (await this.webhooks.disable(id, 'operator', null));
      const webhook = isUuid(id) ? await this.repository.find(id) : null;
      if (!webhook) throw notFound('Webhook');
      if (isDisabled) {
        await this.lanes.fence(id, attemptMs(this.config));
        const target = auditTarget('webhook', id, hostNameOf(webhook.url));
        const details = { reason: 'operator' };
        const { accountId } = webhook;
        await this.audit.record(accountId, 'operator', 'webhook_disabled', target, { details });
      }
      return webhook.disabledReason;
    });
  }
}
