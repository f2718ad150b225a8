import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Counter, Histogram } from 'prom-client';
import { RepeatedTask } from '../../platform/background/repeated-task';
import { AppConfig } from '../../platform/config/app-config';
import { Logger } from '../../platform/logging/logger';
import { Metrics } from '../../platform/metrics/metrics';
import type { SlotPool } from './delivery-slots';
import {
  DeliveryStateRepository,
  type LanesState,
  type WebhookCount,
} from './delivery-state.repository';
import type { Outcome } from './retry-schedule';

/** Pause between two reads of the totals, which read all lanes. */
const READ_PAUSE_MS = 30_000;
const BUCKETS_SECONDS = [0.05, 0.25, 1, 5, 10];
const POOLS: readonly SlotPool[] = ['working', 'failing', 'slow'];
const STATES: readonly LanesState['state'][] = ['working', 'failing'];
const STATUSES: readonly WebhookCount['status'][] = ['active', 'failing', 'disabled'];

/** Metrics of deliveries. Totals of all instances are read only if metrics are on. */
@Injectable()
export class DeliveryMetrics implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly attempts: Counter<'outcome'>;
  private readonly durations: Histogram;
  private readonly task: RepeatedTask;
  private lanes: readonly LanesState[] | null = null;
  private webhooks: readonly WebhookCount[] | null = null;

  constructor(
    private readonly config: AppConfig,
    private readonly metrics: Metrics,
    private readonly repository: DeliveryStateRepository,
    logger: Logger,
  ) {
    const help = 'Attempts to deliver an event, by outcome: delivered, failed or gone.';
    this.attempts = metrics.counter('webhook_attempts_total', help, ['outcome']);
    const duration = 'Duration of attempts to deliver an event.';
    this.durations = metrics.histogram(
      'webhook_attempt_duration_seconds',
      duration,
      BUCKETS_SECONDS,
    );
    const waiting = 'Lanes of enabled webhooks with undelivered changes.';
    metrics.gauges('webhook_lanes_waiting', waiting, ['state'], () =>
      this.ofLanes(({ waiting: count }) => count),
    );
    const age = 'Age of the oldest change whose event is not delivered.';
    metrics.gauges('webhook_oldest_undelivered_seconds', age, ['state'], () =>
      this.ofLanes(({ ageSeconds }) => ageSeconds),
    );
    metrics.gauges('webhooks', 'Webhooks of all accounts.', ['status'], () =>
      STATUSES.flatMap((status): [{ status: string }, number][] => {
        if (this.webhooks === null) return [];
        const found = this.webhooks.find((each) => each.status === status);
        return [[{ status }, found?.count ?? 0]];
      }),
    );
    this.task = new RepeatedTask(
      () => this.readTotals(),
      READ_PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'webhook metrics failed');
      },
    );
  }

  onApplicationBootstrap(): void {
    if (this.config.metricsPort !== undefined) this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  /** Registers a gauge of lanes in progress. @param count Returns the number of lanes in a pool. */
  reportRunning(count: (pool: SlotPool) => number): void {
    const help = 'Lanes in progress, by the pool of their slot.';
    this.metrics.gauges('webhook_lanes_running', help, ['state'], () =>
      POOLS.map((state) => [{ state }, count(state)]),
    );
  }

  /** Counts an attempt. */
  recordAttempt(outcome: Outcome, durationMs: number): void {
    this.attempts.inc({ outcome });
    this.durations.observe(durationMs / 1_000);
  }

  /** Reads the totals of all instances. */
  async readTotals(): Promise<number> {
    this.lanes = await this.repository.countLanes();
    this.webhooks = await this.repository.countWebhooks();
    return 0;
  }

  private ofLanes(read: (lanes: LanesState) => number): [{ state: string }, number][] {
    const { lanes } = this;
    if (lanes === null) return [];
    return STATES.map((state) => {
      const found = lanes.find((each) => each.state === state);
      return [{ state }, found ? read(found) : 0];
    });
  }
}
