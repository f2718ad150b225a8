import { Injectable } from '@nestjs/common';
import { NIL_ID } from '../common/text/id';
import { BackgroundService } from '../platform/background/background-service';
import { RepeatedTask } from '../platform/background/repeated-task';
import { AppConfig } from '../platform/config/app-config';
import { Logger } from '../platform/logging/logger';
import { AttemptRepository } from './delivery/attempt.repository';
import { LaneEndRepository } from './lane-end.repository';

const PAUSE_MS = 10 * 60_000;

/**
 * Deletes attempts after WEBHOOK_LOG_RETENTION_DAYS, the oldest ones of webhooks that have more than
 * MAX_LOGGED_DELIVERIES, and lanes of purged datagrids. Runs in the background of every instance.
 */
@Injectable()
export class WebhookCleanupService extends BackgroundService {
  protected override readonly task: RepeatedTask;

  constructor(
    private readonly config: AppConfig,
    private readonly attempts: AttemptRepository,
    private readonly ends: LaneEndRepository,
    logger: Logger,
  ) {
    super();
    this.task = new RepeatedTask(
      () => this.cleanUp(),
      PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'webhook cleanup failed');
      },
    );
  }

  private async cleanUp(): Promise<number> {
    const { webhookLogRetentionDays, maxLoggedDeliveries } = this.config;
    while (await this.attempts.deleteExpired(webhookLogRetentionDays));
    while (await this.ends.deleteOrphans());
    let id = await this.attempts.findNextWebhook(NIL_ID);
    while (id !== null) {
      while (await this.attempts.deleteSurplus(id, maxLoggedDeliveries));
      id = await this.attempts.findNextWebhook(id);
    }
    return 0;
  }
}
