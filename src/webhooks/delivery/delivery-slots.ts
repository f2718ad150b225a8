import type { DeliveryRate } from './delivery-rate';
import type { ActiveLanes, ClaimBounds, Lane } from './lane.repository';

/** Time after which an attempt no longer counts as one of a webhook that works. */
const SLOW_MS = 1_000;
/** Lanes of one webhook at a time. */
const MAX_PER_WEBHOOK = 4;
/** Maximum number of slow attempts, as a multiple of MAX_CONCURRENT_DELIVERIES. */
const SLOW_FACTOR = 4;

/**
 * Pool that a slot is taken from: `working` for webhooks whose last delivery succeeded, `failing` for
 * those whose last delivery failed and new ones, `slow` for attempts of the former that take longer
 * than SLOW_MS.
 */
export type SlotPool = 'working' | 'failing' | 'slow';

/** The use of a slot by one lane. */
export interface Slot {
  /** Waits until the account of the lane may send its next delivery. */
  wait(): Promise<void>;
  /**
   * Runs an attempt. If it takes longer than SLOW_MS, the slot moves to the slow pool until the
   * attempt ends.
   */
  run<T>(attempt: () => Promise<T>): Promise<T>;
  /** Moves the slot to the failing or the working pool. */
  mark(isFailing: boolean): void;
  release(): void;
}

/**
 * Limits the lanes in progress by slots, in three pools: endpoints that fail or are slow take no slots
 * of those that work. One account has at most half of a pool.
 */
export class DeliverySlots {
  private readonly held = new Map<Lane, SlotPool>();
  private readonly maxFailing: number;

  /** @param max Number of slots of the working pool. */
  constructor(
    private readonly max: number,
    private readonly rate: DeliveryRate,
  ) {
    this.maxFailing = Math.ceil(max / 4);
  }

  /** The lanes that may be claimed now. */
  bounds(): Omit<ClaimBounds, 'leaseMs'> {
    const { max, maxFailing } = this;
    const perAccount = Math.max(1, Math.floor(max / 2));
    const perFailingAccount = Math.max(1, Math.floor(maxFailing / 2));
    return {
      healthy: Math.max(0, max - this.count('working')),
      failing: Math.max(0, maxFailing - this.count('failing')),
      perAccount,
      perFailingAccount,
      perWebhook: MAX_PER_WEBHOOK,
      active: this.active(),
      fullAccounts: this.accountsWith('working', perAccount),
      fullFailingAccounts: this.accountsWith('failing', perFailingAccount),
    };
  }

  take(lane: Lane): Slot {
    let pool: SlotPool = lane.isFailing ? 'failing' : 'working';
    const moveTo = (next: SlotPool): void => {
      if (this.held.has(lane)) this.held.set(lane, next);
    };
    this.held.set(lane, pool);
    return {
      wait: () => this.rate.wait(lane.accountId),
      run: async (attempt) => {
        const timer = setTimeout(() => {
          if (pool === 'working' && this.hasSlowSlot(lane)) moveTo('slow');
        }, SLOW_MS);
        try {
          return await attempt();
        } finally {
          clearTimeout(timer);
          moveTo(pool);
        }
      },
      mark: (isFailing) => {
        pool = isFailing ? 'failing' : 'working';
        moveTo(pool);
      },
      release: () => {
        this.held.delete(lane);
      },
    };
  }

  private hasSlowSlot({ accountId }: Lane): boolean {
    const max = this.max * SLOW_FACTOR;
    return this.count('slow') < max && this.count('slow', accountId) < max / 2;
  }

  /**
   * Returns the number of slots of a pool that are taken.
   * @param accountId Counts only those of this account, if given.
   */
  count(pool: SlotPool, accountId?: string): number {
    let count = 0;
    for (const [lane, held] of this.held) {
      if (held === pool && (accountId ?? lane.accountId) === lane.accountId) count += 1;
    }
    return count;
  }

  /** Returns the accounts that have taken at least `max` slots of a pool. */
  private accountsWith(pool: SlotPool, max: number): string[] {
    const accountIds = new Set([...this.held.keys()].map(({ accountId }) => accountId));
    return [...accountIds].filter((accountId) => this.count(pool, accountId) >= max);
  }

  private active(): ActiveLanes[] {
    const counts = new Map<string, ActiveLanes>();
    for (const [{ webhookId }, pool] of this.held) {
      const key = `${webhookId} ${pool}`;
      const count = (counts.get(key)?.count ?? 0) + 1;
      counts.set(key, {
        webhookId,
        isFailing: pool === 'slow' ? null : pool === 'failing',
        count,
      });
    }
    return [...counts.values()];
  }
}
