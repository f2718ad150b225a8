import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { type Actor, auditTarget } from '../auth/audit/audit-action';
import { AuditService } from '../auth/audit/audit.service';
import { Page } from '../common/envelope/page';
import { AppError, invalidField } from '../common/error/app-error';
import type { PageRequest } from '../common/paging/page-request';
import { RepeatedTask } from '../platform/background/repeated-task';
import { AppConfig } from '../platform/config/app-config';
import { Database } from '../platform/database/database';
import { DatabaseGate } from '../platform/database/database-gate';
import { AccountSemaphore } from '../platform/fairness/account-semaphore';
import { Logger } from '../platform/logging/logger';
import type { RateCounter } from '../platform/throttling/rate-counter';
import { RateCounters } from '../platform/throttling/rate-counters';
import { type Attempt, AttemptRepository } from './delivery/attempt.repository';
import { ChangeLogRepository } from './delivery/change-log.repository';
import { WebhookSender } from './delivery/webhook-sender';
import type { DeliveryDto, ReplayDto, ReplayResultDto } from './dto/delivery.dto';
import { TEST } from './event-type';
import { LaneEndRepository } from './lane-end.repository';
import { LaneSetRepository } from './lane-set.repository';
import { newMessageId } from './signature';
import { hostNameOf } from './webhook-health.service';
import { WebhookRepository } from './webhook.repository';
import { attemptMs, type WebhookRef, WebhookService } from './webhook.service';

const CLEANUP_PAUSE_MS = 600_000;
const DAY_MS = 86_400_000;
/** Test events that one instance sends at a time, and that one account has of them. */
const TESTS = { total: 8, perAccount: 2, maxWaiting: 0, maxWaitingPerAccount: 0 };
/** Window of WEBHOOK_TEST_LIMIT. */
const TEST_WINDOW_SECONDS = 60;
/** Sorts before all other ids. */
const NIL_ID = '00000000-0000-0000-0000-000000000000';

/** Deliveries as their owners see them: the log, tests and replays. Also trims the log. */
@Injectable()
export class WebhookDeliveryService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly cleanup: RepeatedTask;
  private readonly tests = new AccountSemaphore(TESTS, {
    full: 'Too many test events are being sent. Retry later.',
    accountFull: 'Too many test events of this account are being sent. Retry later.',
  });

  /** Test events must be no way to scan ports of others or to send them many requests. */
  private readonly testRate: RateCounter;

  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly gate: DatabaseGate,
    private readonly webhooks: WebhookService,
    private readonly repository: WebhookRepository,
    private readonly attempts: AttemptRepository,
    private readonly log: ChangeLogRepository,
    private readonly lanes: LaneSetRepository,
    private readonly ends: LaneEndRepository,
    private readonly sender: WebhookSender,
    private readonly audit: AuditService,
    counters: RateCounters,
    logger: Logger,
  ) {
    this.testRate = counters.create('webhook-tests', config.webhookTestLimit, TEST_WINDOW_SECONDS);
    this.cleanup = new RepeatedTask(
      () => this.clear(),
      CLEANUP_PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'webhook log cleanup failed');
      },
    );
  }

  onApplicationBootstrap(): void {
    this.cleanup.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.cleanup.stop();
  }

  /** Returns one page of attempts, newest first. @throws AppError `not_found` */
  async list(ref: WebhookRef, page: PageRequest): Promise<Page<DeliveryDto>> {
    await this.webhooks.get(ref);
    const [attempts, total] = await this.attempts.list(ref.id, page);
    return new Page(attempts.map(toDto), total, page);
  }

  /**
   * Sends a test event and waits for the response, even if the webhook is disabled. The health of the
   * webhook stays as it is. Holds no connection of the database meanwhile.
   * @throws AppError `not_found`, `rate_limited` or `unavailable`.
   */
  async test(ref: WebhookRef): Promise<DeliveryDto> {
    const { accountId, workspaceId, id } = ref;
    const [webhook, keys] = await this.gate.run(accountId, async () => [
      (await this.webhooks.get(ref)).data,
      await this.repository.listKeys(id),
    ]);
    const { allowed, resetSeconds } = await this.testRate.hit(accountId);
    if (!allowed) {
      throw new AppError('rate_limited', 'Too many test events of this account. Retry later.', {
        headers: { 'Retry-After': String(resetSeconds) },
      });
    }
    const release = this.tests.tryAcquire(accountId);
    if (!release) throw this.tests.rejection(accountId);
    try {
      const timestamp = new Date().toISOString();
      const body = JSON.stringify({ type: TEST, timestamp, data: { workspaceId, webhookId: id } });
      const { attempt } = await this.sender.send({
        url: webhook.url,
        keys,
        messageId: newMessageId(),
        type: TEST,
        datagridId: null,
        revision: null,
        body,
        attempt: 1,
      });
      await this.gate.run(accountId, () => this.attempts.log(id, attempt));
      return toDto(attempt);
    } finally {
      release();
    }
  }

  /**
   * Sends the changes since a time again, as new events.
   * @throws AppError `not_found`, or `invalid_request` if the time is before the retention period.
   */
  async replay(ref: WebhookRef, body: ReplayDto, by: Actor): Promise<ReplayResultDto> {
    const since = new Date(body.since);
    const { changeRetentionDays: days } = this.config;
    if (since.getTime() < Date.now() - days * DAY_MS) {
      throw invalidField('since', 'out_of_range', `must be within the last ${String(days)} days`);
    }
    const datagridId = body.datagridId?.toLowerCase();
    return this.database.transaction(async () => {
      const { url } = await this.webhooks.lock(ref);
      const lanes = await this.lanes.list(ref.id);
      const chosen = lanes.filter((lane) => (datagridId ?? lane.datagridId) === lane.datagridId);
      if (datagridId !== undefined && chosen.length === 0) {
        throw invalidField('datagridId', 'unknown_datagrid', 'is not a datagrid of this webhook');
      }
      let datagrids = 0;
      for (const lane of chosen) {
        const revision = await this.log.findRevisionAt(lane.datagridId, since);
        if (revision === null || revision >= lane.revision) continue;
        await this.lanes.moveBack(ref.id, lane.datagridId, revision, attemptMs(this.config));
        datagrids += 1;
      }
      const target = auditTarget('webhook', ref.id, hostNameOf(url));
      const details = { since: since.toISOString(), datagrids };
      await this.audit.record(ref.accountId, by, 'webhook_replayed', target, { details });
      return { datagrids };
    });
  }

  /**
   * Deletes attempts past their retention period, and the oldest ones of webhooks with too many, and
   * lanes of purged datagrids.
   */
  async clear(): Promise<number> {
    const { webhookLogRetentionDays, maxLoggedDeliveries } = this.config;
    while (await this.attempts.clear(webhookLogRetentionDays));
    while (await this.ends.clear());
    let id = await this.attempts.findNextWebhook(NIL_ID);
    while (id !== null) {
      while (await this.attempts.trim(id, maxLoggedDeliveries));
      id = await this.attempts.findNextWebhook(id);
    }
    return 0;
  }
}

function toDto(attempt: Attempt): DeliveryDto {
  const { id, messageId, type, datagridId, revision, durationMs, status, error } = attempt;
  const { request, response, at } = attempt;
  const result = { durationMs, status, error, request, response };
  const event = { id, messageId, type, datagridId, revision, attempt: attempt.attempt };
  return { ...event, at: at.toISOString(), ...result };
}
