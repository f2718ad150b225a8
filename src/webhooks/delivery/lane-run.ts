import { Injectable } from '@nestjs/common';
import { AppError } from '../../common/error/app-error';
import { AppConfig } from '../../platform/config/app-config';
import { QueryTimeoutError } from '../../platform/database/query-pool';
import type { AccountSemaphore } from '../../platform/fairness/account-semaphore';
import { semaphoreOf } from '../../platform/fairness/limit';
import { LIMITS } from '../../platform/fairness/limits';
import { InvalidFilterError } from '../filter/row-matcher';
import { WebhookHealthService } from '../webhook-health.service';
import { type Attempt, AttemptRepository } from './attempt.repository';
import type { Slot } from './delivery-slots';
import { EventSource, type NextEvents } from './event-source';
import { type Lane, LaneRepository, type Settlement, type WaitingEvent } from './lane.repository';
import { retryDelayMs } from './retry-schedule';
import { type SendResult, WebhookSender } from './webhook-sender';

/** Time after which a lane with more events lets others have its place. */
const TURN_MS = 2_000;
/** Pause of a lane whose rows cannot be filtered because of the load. */
const LOAD_PAUSE_MS = 5_000;
const FILTER_TIMEOUT = 'The filter of the webhook took too long. Use one that costs less.';

interface Progress {
  /** Position up to which the log has been read. */
  revision: number;
  part: number | null;
  atMs: number | null;
  hasGap: boolean;
  lastDelivered: number;
  failures: number;
  leasedUntilMs: number;
  isComplete: boolean;
}

/** Delivers the events of one lane after another, in order. */
@Injectable()
export class LaneRun {
  /** A sender claims a lane for this time, and does not start an attempt that could outlast it. */
  readonly leaseMs: number;
  private readonly timeoutMs: number;
  private readonly connections: AccountSemaphore;

  constructor(
    private readonly config: AppConfig,
    private readonly lanes: LaneRepository,
    private readonly source: EventSource,
    private readonly attempts: AttemptRepository,
    private readonly sender: WebhookSender,
    private readonly health: WebhookHealthService,
  ) {
    this.timeoutMs = config.webhookTimeoutSeconds * 1_000;
    this.leaseMs = 2 * this.timeoutMs + 10_000;
    this.connections = semaphoreOf(LIMITS.deliveryConnections, config);
  }

  /**
   * Delivers until nothing is left, an attempt fails, or the lane's turn ends.
   * @param claimedAtMs Time before the claim, of `performance.now`.
   */
  async run(lane: Lane, slot: Slot, claimedAtMs: number, isStopping: () => boolean): Promise<void> {
    const { revision, part, atMs, hasGap, lastDelivered, failures, lastEvent } = lane;
    const leasedUntilMs = claimedAtMs + this.leaseMs;
    const position = { revision, part, atMs, hasGap };
    const progress = { ...position, lastDelivered, failures, leasedUntilMs, isComplete: false };
    const endsAtMs = claimedAtMs + TURN_MS;
    for (let left = lastEvent - lastDelivered; ;) {
      const events =
        left > 0 ? await this.waiting(lane, progress) : await this.next(lane, slot, progress);
      if (!events) return;
      left = Math.max(0, left - events.length);
      const isLast = performance.now() > endsAtMs || isStopping();
      const canEnd = left === 0 && progress.isComplete;
      const hasClaim = await this.deliver(
        lane,
        slot,
        progress,
        events,
        { isLast, canEnd },
        isStopping,
      );
      if (!hasClaim) return;
    }
  }

  private async waiting(lane: Lane, progress: Progress): Promise<WaitingEvent[] | null> {
    const event = await this.query(lane, () =>
      this.lanes.findWaiting(lane, progress.lastDelivered),
    );
    // A replay has removed it.
    return event ? [event] : null;
  }

  /** Stores the next events. @returns `null` if there are none or the claim has passed on. */
  private async next(
    lane: Lane,
    slot: Slot,
    progress: Progress,
  ): Promise<readonly WaitingEvent[] | null> {
    const source = (): Promise<NextEvents | null> =>
      this.source.next(lane, progress, (statement) => this.query(lane, statement));
    let found: NextEvents | null;
    try {
      // A filter can take long.
      found = await (lane.filter === null ? source() : slot.run(source));
    } catch (error) {
      await this.postpone(lane, progress, error);
      return null;
    }
    // A filter that took too long has ended this time.
    progress.failures = 0;
    if (!found) {
      await this.settle(lane, progress, { delayMs: null, isDrained: true, isReleased: true });
      return null;
    }
    const { events, position, isComplete } = found;
    const startedAtMs = performance.now();
    const stored = await this.query(lane, () =>
      this.lanes.store(lane, events, position, this.leaseMs),
    );
    if (stored === null) return null;
    const isStored = { hasGap: false, isComplete };
    Object.assign(progress, position, isStored, { leasedUntilMs: startedAtMs + this.leaseMs });
    return events;
  }

  /**
   * Ends the turn of a lane whose events cannot be prepared because of the filter. Its position stays.
   * If the filter is invalid, the webhook is disabled. If it takes too long, it is tried again like a
   * delivery that fails.
   * @throws the error if it has another reason.
   */
  private async postpone(lane: Lane, progress: Progress, error: unknown): Promise<void> {
    const ending = { isDrained: false, isReleased: true };
    if (error instanceof InvalidFilterError) {
      await this.health.disable(lane, 'filter', lane.filter);
    } else if (error instanceof QueryTimeoutError) {
      progress.failures += 1;
      const delayMs = retryDelayMs(this.config.webhookRetrySeconds, progress.failures, null);
      const settled = await this.settle(lane, progress, { ...ending, delayMs });
      await this.query(lane, () => this.attempts.record(lane.webhookId, [], FILTER_TIMEOUT));
      if (settled?.isTooLong) await this.health.disable(lane, 'failing');
    } else if (error instanceof AppError) {
      await this.settle(lane, progress, { ...ending, delayMs: LOAD_PAUSE_MS });
    } else {
      throw error;
    }
  }

  /**
   * Delivers events in order and stores the result.
   * @param turn Whether the turn of the lane ends, and whether these are all events that it has. Then
   *   the lane is released, if all events are delivered.
   * @returns whether the lane is still claimed.
   */
  private async deliver(
    lane: Lane,
    slot: Slot,
    progress: Progress,
    events: readonly WaitingEvent[],
    { isLast, canEnd }: { readonly isLast: boolean; readonly canEnd: boolean },
    isStopping: () => boolean,
  ): Promise<boolean> {
    const attempts: Attempt[] = [];
    let failed: SendResult | undefined;
    let hasTime = true;
    for (const event of events) {
      await slot.wait();
      // Another sender could claim the lane during the attempt.
      hasTime = performance.now() + this.timeoutMs + 2_000 < progress.leasedUntilMs;
      if (!hasTime) break;
      const attempt = progress.failures + 1;
      const result = await slot.run(() => this.send(lane, event, attempt));
      // The process has closed its connections. Another one repeats the attempt.
      if (isStopping() && result.attempt.status === null) {
        hasTime = false;
        break;
      }
      attempts.push(result.attempt);
      if (result.outcome !== 'delivered') {
        failed = result;
        break;
      }
      progress.failures = 0;
      progress.lastDelivered += 1;
    }
    if (failed) progress.failures += 1;
    const { webhookRetrySeconds } = this.config;
    const retryMs = failed
      ? retryDelayMs(webhookRetrySeconds, progress.failures, failed.retryAfterMs)
      : 0;
    const isDrained = canEnd && failed === undefined && hasTime;
    // Events that are left are read again with the next claim.
    const isReleased = isLast || isDrained || failed !== undefined || !hasTime;
    const delayMs = isReleased && !isDrained ? retryMs : null;
    const settled = await this.settle(lane, progress, { delayMs, isDrained, isReleased });
    const failure = failed?.failure ?? null;
    if (attempts.length > 0) {
      slot.mark(failure !== null);
      await this.query(lane, () => this.attempts.record(lane.webhookId, attempts, failure));
    }
    if (failed?.outcome === 'gone') await this.health.disable(lane, 'gone');
    else if (settled?.isTooLong) await this.health.disable(lane, 'failing');
    return settled !== null && !isReleased;
  }

  private send(lane: Lane, event: WaitingEvent, attempt: number): Promise<SendResult> {
    const { webhookId, url, secret, previousSecret, datagridId } = lane;
    const { messageId, type, revision, body } = event;
    const secrets = previousSecret === null ? [secret] : [secret, previousSecret];
    const what = { messageId, type, datagridId, revision, body, attempt };
    return this.sender.send({ webhookId, url, secrets, ...what });
  }

  private async settle(
    lane: Lane,
    progress: Progress,
    plan: Pick<Settlement, 'delayMs' | 'isDrained' | 'isReleased'>,
  ): Promise<{ readonly isTooLong: boolean } | null> {
    const startedAtMs = performance.now();
    const { lastDelivered, failures } = progress;
    const { leaseMs } = this;
    const settlement = { lastDelivered, failures, leaseMs, ...plan };
    const settled = await this.query(lane, () =>
      this.lanes.settle(lane, settlement, this.config.webhookDisableAfterHours),
    );
    progress.leasedUntilMs = startedAtMs + leaseMs;
    return settled;
  }

  /** Runs a statement. Accounts take turns at the few connections that deliveries use. */
  private async query<T>({ accountId }: Lane, statement: () => Promise<T>): Promise<T> {
    const release = await this.connections.acquireWhenFree(accountId);
    try {
      return await statement();
    } finally {
      release();
    }
  }
}
