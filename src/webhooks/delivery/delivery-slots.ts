import type { DeliveryRate } from './delivery-rate';
import type { ActiveLanes, ClaimBounds, Lane } from './lane.repository';

/** Time after which an attempt no longer counts as one of a webhook that works. */
const SLOW_MS = 1_000;
/** Lanes of one webhook at a time. */
const MAX_PER_WEBHOOK = 4;
/** Maximum number of slow attempts, as a multiple of MAX_CONCURRENT_DELIVERIES. */
const SLOW_FACTOR = 4;

/**
 * The place that a lane holds: of a webhook that works, of one that failed or is new, or of an attempt
 * of one that works but takes long.
 */
export type Place = 'working' | 'failing' | 'slow';

/** The use of a slot by one lane. */
export interface Slot {
  /** Waits until the account of the lane may send its next delivery. */
  wait(): Promise<void>;
  /**
   * Runs an attempt. If it takes long, the slot counts as slow until the attempt ends, so that it
   * holds no place of webhooks that work.
   */
  run<T>(attempt: () => Promise<T>): Promise<T>;
  /** Marks the lane as failing or working from now on. */
  mark(isFailing: boolean): void;
  release(): void;
}

/**
 * Counts the lanes in progress. Webhooks whose last delivery failed, and those that have had none,
 * have places of their own: endpoints that time out take no place of those that work. Slow attempts
 * take no place of either, and one account has at most half of theirs.
 */
export class DeliverySlots {
  private readonly held = new Map<Lane, Place>();
  private readonly maxFailing: number;

  /** @param max Lanes of webhooks that work. */
  constructor(
    private readonly max: number,
    private readonly rate: DeliveryRate,
  ) {
    this.maxFailing = Math.max(1, Math.ceil(max / 4));
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
    let place: Place = lane.isFailing ? 'failing' : 'working';
    const hold = (held: Place): void => {
      if (this.held.has(lane)) this.held.set(lane, held);
    };
    this.held.set(lane, place);
    return {
      wait: () => this.rate.wait(lane.accountId),
      run: async (attempt) => {
        const timer = setTimeout(() => {
          if (place === 'working' && this.hasSlowPlace(lane)) hold('slow');
        }, SLOW_MS);
        try {
          return await attempt();
        } finally {
          clearTimeout(timer);
          hold(place);
        }
      },
      mark: (isFailing) => {
        place = isFailing ? 'failing' : 'working';
        hold(place);
      },
      release: () => {
        this.held.delete(lane);
      },
    };
  }

  private hasSlowPlace({ accountId }: Lane): boolean {
    const max = this.max * SLOW_FACTOR;
    return this.count('slow') < max && this.count('slow', accountId) < max / 2;
  }

  /** Returns the number of lanes that hold a place. @param accountId Counts only its lanes, if given. */
  count(place: Place, accountId?: string): number {
    let count = 0;
    for (const [lane, held] of this.held) {
      if (held === place && (accountId ?? lane.accountId) === lane.accountId) count += 1;
    }
    return count;
  }

  /** Returns the accounts that hold at least `max` of the places. */
  private accountsWith(place: Place, max: number): string[] {
    const accountIds = new Set([...this.held.keys()].map(({ accountId }) => accountId));
    return [...accountIds].filter((accountId) => this.count(place, accountId) >= max);
  }

  private active(): ActiveLanes[] {
    const counts = new Map<string, ActiveLanes>();
    for (const [{ webhookId }, place] of this.held) {
      const key = `${webhookId} ${place}`;
      const count = (counts.get(key)?.count ?? 0) + 1;
      counts.set(key, {
        webhookId,
        isFailing: place === 'slow' ? null : place === 'failing',
        count,
      });
    }
    return [...counts.values()];
  }
}
