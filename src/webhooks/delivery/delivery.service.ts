import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ChangeSignal } from '../../datagrids/change-log/change-signal';
import { RepeatedTask } from '../../platform/background/repeated-task';
import { AppConfig } from '../../platform/config/app-config';
import { Logger } from '../../platform/logging/logger';
import { endsWithin } from '../../platform/time/ends-within';
import { DeliveryMetrics } from './delivery-metrics';
import { DeliveryRate } from './delivery-rate';
import { DeliverySlots } from './delivery-slots';
import { LaneRun } from './lane-run';
import { type ClaimBounds, type Lane, LaneRepository } from './lane.repository';

const PAUSE_MS = 1_000;
/** Pause between two claims of lanes of datagrids that this process has changed. */
const SIGNAL_PAUSE_MS = 25;
/** Pause after a poll, as a multiple of its time, so that it takes a tenth of the time at most. */
const POLL_COST_FACTOR = 9;
/** The same for claims that follow changes and deliveries of this process. */
const SIGNAL_COST_FACTOR = 4;
/** The same for scans of all lanes, and for missing lanes. They cost more the more lanes there are. */
const SCAN_COST_FACTOR = 49;
/** Pause between two scans for datagrids of other processes that have no lanes yet. */
const ADD_PAUSE_MS = 5_000;
/** Maximum number of datagrids whose signals are remembered. A scan of all lanes finds the others. */
const MAX_SIGNALED = 1_000;
/** Maximum number of datagrids that are remembered to have lanes. */
const MAX_KNOWN = 10_000;
/** Time that deliveries in progress have when the service stops. */
const STOP_MS = 3_000;

/**
 * Finds lanes with changes or due retries, and delivers their events. Runs in the background of every
 * instance. Within milliseconds, each process claims the lanes of datagrids that it has changed, or
 * opens those that it cannot claim now. A poll every second claims open lanes. A scan of all lanes
 * opens those that all processes have missed, such as those of a killed one.
 */
@Injectable()
export class DeliveryService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly slots: DeliverySlots;
  private readonly running = new Set<Promise<void>>();
  private readonly poll: RepeatedTask;
  private readonly signals: RepeatedTask;
  private readonly signaled = new Set<string>();
  private readonly known = new LRUCache<string, true>({ max: MAX_KNOWN });
  private pollAgainAtMs = 0;
  private addAgainAtMs = 0;
  private signalsAgainAtMs = 0;
  private openAgainAtMs = 0;
  /** Whether a lane has ended since open lanes were last claimed. More may be due. */
  private hasFreeSlot = false;
  private hasWebhooks = false;

  constructor(
    config: AppConfig,
    private readonly lanes: LaneRepository,
    private readonly laneRun: LaneRun,
    private readonly logger: Logger,
    signal: ChangeSignal,
    metrics: DeliveryMetrics,
  ) {
    const rate = new DeliveryRate(config.maxDeliveriesPerSecond);
    this.slots = new DeliverySlots(config.maxConcurrentDeliveries, rate);
    metrics.reportRunning((pool) => this.slots.count(pool));
    const onFailure = (err: unknown): void => {
      logger.pino.warn({ err }, 'webhook listing failed');
    };
    this.poll = new RepeatedTask(() => this.pollAll(), PAUSE_MS, onFailure);
    this.signals = new RepeatedTask(() => this.claimSignaled(), SIGNAL_PAUSE_MS, onFailure);
    signal.listen((datagridId) => {
      if (this.hasWebhooks) this.remember(datagridId);
    });
  }

  onApplicationBootstrap(): void {
    this.poll.start();
    this.signals.start();
  }

  /** Lets deliveries in progress end. Those that take longer are repeated by another instance. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all([this.poll.stop(), this.signals.stop()]);
    await endsWithin(Promise.all(this.running), STOP_MS);
  }

  /** Scans all lanes now. @returns the number of lanes that were started. */
  async runOnce(): Promise<number> {
    this.pollAgainAtMs = 0;
    this.addAgainAtMs = 0;
    this.openAgainAtMs = 0;
    return this.poll.runOnce();
  }

  private remember(datagridId: string): void {
    if (this.signaled.size < MAX_SIGNALED) this.signaled.add(datagridId);
    else this.openAgainAtMs = 0;
  }

  /** Claims open lanes. From time to time, scans all lanes for those that all processes have missed. */
  private async pollAll(): Promise<number> {
    const startedAtMs = performance.now();
    if (startedAtMs < this.pollAgainAtMs) return 0;
    const hadWebhooks = this.hasWebhooks;
    this.hasWebhooks = await this.lanes.hasAny();
    if (!this.hasWebhooks) return 0;
    if (startedAtMs >= this.addAgainAtMs) {
      const pauseMs = await this.pauseAfter(() => this.lanes.addMissing());
      this.addAgainAtMs = performance.now() + Math.max(ADD_PAUSE_MS, pauseMs);
    }
    // Without webhooks, signals were not remembered.
    if (startedAtMs >= this.openAgainAtMs || !hadWebhooks) {
      const pauseMs = await this.pauseAfter(() => this.lanes.openMissed());
      this.openAgainAtMs = performance.now() + pauseMs - PAUSE_MS;
    }
    const claimedAtMs = performance.now();
    const count = await this.claim();
    const nowMs = performance.now();
    this.pollAgainAtMs = nowMs + (nowMs - claimedAtMs) * POLL_COST_FACTOR - PAUSE_MS;
    return count;
  }

  /** Runs a scan. @returns the pause after which it may be repeated, in milliseconds. */
  private async pauseAfter(scan: () => Promise<void>): Promise<number> {
    const startedAtMs = performance.now();
    await scan();
    return (performance.now() - startedAtMs) * SCAN_COST_FACTOR;
  }

  /**
   * Claims lanes of datagrids that this process has changed and, if a slot has become free, open lanes
   * of webhooks that work.
   */
  private async claimSignaled(): Promise<number> {
    const startedAtMs = performance.now();
    const hasWork = this.signaled.size > 0 || this.hasFreeSlot;
    if (!hasWork || startedAtMs < this.signalsAgainAtMs) return 0;
    let count = 0;
    if (this.signaled.size > 0) {
      const datagridIds = [...this.signaled];
      this.signaled.clear();
      await this.addLanes(datagridIds);
      count += await this.claim(datagridIds);
    }
    if (this.hasFreeSlot) {
      this.hasFreeSlot = false;
      // The poll claims those that fail, which can be many.
      count += await this.claim(undefined, { failing: 0 });
    }
    const nowMs = performance.now();
    this.signalsAgainAtMs = nowMs + (nowMs - startedAtMs) * SIGNAL_COST_FACTOR - SIGNAL_PAUSE_MS;
    return count;
  }

  /**
   * Adds lanes of datagrids that this process does not know. A webhook that is created or changed later
   * gets its lanes with the change, or by the poll.
   */
  private async addLanes(datagridIds: readonly string[]): Promise<void> {
    const unknown = datagridIds.filter((id) => !this.known.has(id));
    if (unknown.length === 0) return;
    await this.lanes.addMissing(unknown);
    for (const id of unknown) this.known.set(id, true);
  }

  private async claim(
    datagridIds?: readonly string[],
    restriction: Partial<ClaimBounds> = {},
  ): Promise<number> {
    const bounds = { ...this.slots.bounds(), ...restriction };
    const isFull = bounds.healthy === 0 && bounds.failing === 0;
    if (isFull && datagridIds === undefined) return 0;
    const claimedAtMs = performance.now();
    const { leaseMs } = this.laneRun;
    const lanes = await this.lanes.claim({ ...bounds, leaseMs }, datagridIds);
    for (const lane of lanes) this.start(lane, claimedAtMs);
    return lanes.length;
  }

  private start(lane: Lane, claimedAtMs: number): void {
    const { webhookId, datagridId, accountId } = lane;
    const slot = this.slots.take(lane);
    const run = this.laneRun
      .run(lane, slot, claimedAtMs, () => this.poll.isStopping)
      .catch((err: unknown) => {
        this.logger.pino.warn({ err, accountId, webhookId, datagridId }, 'webhook delivery failed');
      })
      .finally(() => {
        slot.release();
        this.hasFreeSlot = true;
        this.running.delete(run);
        // A write after the last read of the log has found the lane claimed.
        this.remember(datagridId);
      });
    this.running.add(run);
  }
}
