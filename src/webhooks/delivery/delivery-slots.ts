import type { ActiveLanes, ClaimBounds, Lane } from './lane.repository';

/** Time after which an attempt no longer counts as one of a webhook that works. */
const SLOW_MS = 1_000;
/** Lanes of one webhook at a time. */
const MAX_PER_WEBHOOK = 4;
/** Maximum number of slow attempts, as a multiple of MAX_CONCURRENT_DELIVERIES. */
const SLOW_FACTOR = 4;

/** The use of a slot by one lane. */
export interface Slot {
  /**
   * Runs an attempt. If it takes long, the slot counts as failing until the attempt ends, so that it
   * holds no place of webhooks that work.
   */
  run<T>(attempt: () => Promise<T>): Promise<T>;
  /** Marks the lane as failing or working from now on. */
  mark(isFailing: boolean): void;
  release(): void;
}

/**
 * Counts the lanes in progress. Webhooks whose last delivery failed, and those that have had none,
 * have places of their own: endpoints that time out take no place of those that work.
 */
export class DeliverySlots {
  private readonly held = new Map<Lane, boolean>();
  private readonly maxFailing: number;

  /** @param max Lanes of webhooks that work. */
  constructor(private readonly max: number) {
    this.maxFailing = Math.max(1, Math.ceil(max / 4));
  }

  get size(): number {
    return this.held.size;
  }

  /** The lanes that may be claimed now. */
  bounds(): Omit<ClaimBounds, 'leaseMs'> {
    const { max, maxFailing } = this;
    const failing = this.countFailing();
    return {
      healthy: Math.max(0, max - (this.held.size - failing)),
      failing: Math.max(0, maxFailing - failing),
      perAccount: Math.max(1, Math.floor(max / 2)),
      perFailingAccount: Math.max(1, Math.floor(maxFailing / 2)),
      perWebhook: MAX_PER_WEBHOOK,
      active: this.active(),
    };
  }

  take(lane: Lane): Slot {
    this.held.set(lane, lane.isFailing);
    let isFailing = lane.isFailing;
    return {
      run: async (attempt) => {
        const timer = setTimeout(() => {
          const hasRoom = this.countFailing() < this.max * SLOW_FACTOR;
          if (hasRoom && this.held.has(lane)) this.held.set(lane, true);
        }, SLOW_MS);
        try {
          return await attempt();
        } finally {
          clearTimeout(timer);
          if (this.held.has(lane)) this.held.set(lane, isFailing);
        }
      },
      mark: (failing) => {
        isFailing = failing;
        if (this.held.has(lane)) this.held.set(lane, failing);
      },
      release: () => {
        this.held.delete(lane);
      },
    };
  }

  private countFailing(): number {
    let count = 0;
    for (const isFailing of this.held.values()) if (isFailing) count += 1;
    return count;
  }

  private active(): ActiveLanes[] {
    const counts = new Map<string, ActiveLanes>();
    for (const [{ webhookId }, isFailing] of this.held) {
      const key = `${webhookId} ${String(isFailing)}`;
      const count = (counts.get(key)?.count ?? 0) + 1;
      counts.set(key, { webhookId, isFailing, count });
    }
    return [...counts.values()];
  }
}
