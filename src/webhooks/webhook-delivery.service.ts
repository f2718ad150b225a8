import { Injectable } from '@nestjs/common';
import { type Actor, auditTarget } from '../auth/audit/audit-action';
import { AuditService } from '../auth/audit/audit.service';
import { JsonResponse } from '../common/envelope/json-response';
import { invalidField } from '../common/error/app-error';
import type { PageRequest } from '../common/paging/page-request';
import { DAY_MS } from '../common/time/day';
import { AppConfig } from '../platform/config/app-config';
import { Database } from '../platform/database/database';
import { DatabaseGate } from '../platform/database/database-gate';
import { LIMITS } from '../platform/fairness/limits';
import { CheckPermits } from '../platform/throttling/check-permits';
import { RateCounters } from '../platform/throttling/rate-counters';
import { type Attempt, AttemptRepository } from './delivery/attempt.repository';
import { ChangeLogRepository } from './delivery/change-log.repository';
import { WebhookSender } from './delivery/webhook-sender';
import type { DeliveryDto, ReplayDto, ReplayResultDto } from './dto/delivery.dto';
import { TEST } from './event-type';
import { type ListedLane, LaneSetRepository } from './lane-set.repository';
import { newMessageId } from './signature';
import { hostNameOf } from './webhook-health.service';
import { WebhookRepository } from './webhook.repository';
import { attemptMs, type WebhookRef, WebhookService } from './webhook.service';

/** Datagrids whose logs one statement of a replay reads. */
const REPLAY_STEP = 100;

/** Operations of users on the deliveries of a webhook: list attempts, send a test event, replay. */
@Injectable()
export class WebhookDeliveryService {
  private readonly tests: CheckPermits;

  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly gate: DatabaseGate,
    private readonly webhooks: WebhookService,
    private readonly repository: WebhookRepository,
    private readonly attempts: AttemptRepository,
    private readonly log: ChangeLogRepository,
    private readonly lanes: LaneSetRepository,
    private readonly sender: WebhookSender,
    private readonly audit: AuditService,
    counters: RateCounters,
  ) {
    this.tests = new CheckPermits(LIMITS.webhookTests, config, counters);
  }

  /** Returns one page of attempts, newest first. @throws AppError `not_found` */
  async list(ref: WebhookRef, page: PageRequest): Promise<JsonResponse<DeliveryDto[]>> {
    await this.webhooks.get(ref);
    const [attempts, total] = await this.attempts.list(ref.id, page);
    return JsonResponse.page(attempts.map(toDto), total, page);
  }

  /**
   * Sends a test event and waits for the response, even if the webhook is disabled. The health of the
   * webhook stays as it is. Holds no connection of the database meanwhile.
   * @throws AppError `not_found`, `rate_limited` or `unavailable`.
   */
  async test(ref: WebhookRef): Promise<DeliveryDto> {
    const { accountId, workspaceId, id } = ref;
    const [webhook, secrets] = await this.gate.run(accountId, async () => [
      (await this.webhooks.get(ref)).data,
      await this.repository.listSecrets(id),
    ]);
    const release = await this.tests.acquire(accountId);
    try {
      const timestamp = new Date().toISOString();
      const body = JSON.stringify({ type: TEST, timestamp, data: { workspaceId, webhookId: id } });
      const { attempt } = await this.sender.send({
        webhookId: id,
        url: webhook.url,
        secrets,
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
      const head = new Map(chosen.map((lane) => [lane.datagridId, lane.revision]));
      const earlier: ListedLane[] = [];
      // The logs are read first, before any lane is locked.
      for (const ids of inSteps([...head.keys()], REPLAY_STEP)) {
        const found = await this.log.listRevisionsAt(ids, since);
        earlier.push(...found.filter((lane) => lane.revision < (head.get(lane.datagridId) ?? 0)));
      }
      await this.lanes.moveBack(ref.id, earlier, attemptMs(this.config));
      const datagrids = earlier.length;
      const target = auditTarget('webhook', ref.id, hostNameOf(url));
      const details = { since: since.toISOString(), datagrids };
      await this.audit.record(ref.accountId, by, 'webhook_replayed', target, { details });
      return { datagrids };
    });
  }
}

function toDto(attempt: Attempt): DeliveryDto {
  const { id, messageId, type, datagridId, revision, durationMs, status, error } = attempt;
  const { request, response, at } = attempt;
  const result = { durationMs, status, error, request, response };
  const event = { id, messageId, type, datagridId, revision, attempt: attempt.attempt };
  return { ...event, at: at.toISOString(), ...result };
}

function inSteps<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, step) => items.slice(step * size, (step + 1) * size));
}
