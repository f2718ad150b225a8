import { accountShareUsed, unavailable, type AppError } from '../../common/error/app-error';
import type { AccountActivity } from './account-activity';

/** Numbers of permits of a shared resource, and of callers that may wait for one. */
export interface SemaphoreBounds {
  /** Permits of all accounts together. */
  readonly total: number;
  /** Permits of one account. */
  readonly perAccount: number;
  /** Permits of one account while other accounts are active, if lower. */
  readonly perActiveAccount?: number;
  /** Pause of an account after it held a permit for long. See `Cooldown`. */
  readonly cooldown?: Cooldown;
  /** Waiting callers of all accounts together. If 0, no caller waits. */
  readonly maxWaiting: number;
  /** Waiting callers of one account. */
  readonly maxWaitingPerAccount: number;
  /** Maximum wait in milliseconds. */
  readonly maxWaitMs: number;
}

/**
 * Pause after a long use. While other accounts are active, a permit that was held for more than
 * `thresholdMs` stays in its account's share after its release. It stays for the time over
 * `thresholdMs`, at most `maxMs`. Other accounts can acquire it at once.
 */
export interface Cooldown {
  /** Time in milliseconds for which a permit may be held without a cooldown. */
  readonly thresholdMs: number;
  /** Maximum length in milliseconds. */
  readonly maxMs: number;
  /**
   * Whether the cooldown also applies if the account holds no other permit. If false, an account that
   * acquires one permit at a time never has to wait.
   */
  readonly appliesToLastPermit: boolean;
}

/** Public error messages, such as "Too many exports are running. Retry later." */
export interface SemaphoreMessages {
  /** 503: the process has no room. */
  readonly full: string;
  /** 429: the account has used its share. */
  readonly accountFull: string;
  /** 503: the resource does not respond. See `isStuck` and `allowsLongHolds`. */
  readonly stuck?: string;
}

/** Information about the resource and its accounts that the semaphore does not count itself. */
export interface SemaphoreContext {
  /** Returns whether the resource does not respond. Rejections then say so. */
  readonly isStuck?: (() => boolean) | undefined;
  /**
   * Whether holders may keep a permit for longer than callers wait. If false, a wait
   * in which no permit was released means that the resource is stuck.
   */
  readonly allowsLongHolds?: boolean;
  /** Tracks whether other accounts are active. Without it, `perActiveAccount` does not apply. */
  readonly activity?: AccountActivity | undefined;
}

/**
 * Releases a permit. Calling it again has no effect.
 * @param usedMs Time that counts for the cooldown, in milliseconds. The default is the time since the
 *   permit was acquired.
 */
export type Release = (usedMs?: number) => void;

interface Waiter {
  readonly resolve: (release: Release) => void;
}

/**
 * Semaphore with a share for each account. An account that has used its share waits or is rejected,
 * while others still get a permit. The share may be smaller while other accounts are active. Waiting
 * accounts take turns, so one with a long queue delays another by at most one use of a permit.
 */
export class AccountSemaphore {
  private held = 0;
  /** Time at which a permit was last released. */
  private releasedAtMs = 0;
  private waiting = 0;
  private rejectedForAccount = 0;
  private rejectedForProcess = 0;
  private readonly heldByAccount = new Map<string, number>();
  /**
   * Waiting callers by account, in the order of their turns: an account that was served goes to the
   * end.
   */
  private readonly queues = new Map<string, Waiter[]>();

  constructor(
    readonly bounds: SemaphoreBounds,
    private readonly messages: SemaphoreMessages,
    private readonly context: SemaphoreContext = {},
  ) {}

  /** Number of holders and of waiting callers, of all accounts. */
  get state(): { readonly held: number; readonly waiting: number } {
    return { held: this.held, waiting: this.waiting };
  }

  /**
   * Callers rejected since the start: by their account's share, and by the limit of the process.
   */
  get rejected(): { readonly account: number; readonly process: number } {
    return { account: this.rejectedForAccount, process: this.rejectedForProcess };
  }

  /**
   * Acquires a permit without waiting.
   * @returns `undefined` if there is none for this account.
   */
  tryAcquire(accountId: string): Release | undefined {
    if (!this.hasRoom(accountId)) return undefined;
    return this.take(accountId);
  }

  /**
   * Acquires a permit without waiting.
   * @throws AppError `rate_limited` if the account has used its share; `unavailable` if there is none.
   */
  acquireNow(accountId: string): Release {
    const release = this.tryAcquire(accountId);
    if (!release) throw this.rejection(accountId);
    return release;
  }

  /**
   * Waits for a permit.
   * @throws AppError at once if a queue is full, otherwise after `maxWaitMs`:
   *   - `rate_limited` if the account has used its share;
   *   - `unavailable` if the process has no room;
   *   - `unavailable` if the resource is stuck and `messages.stuck` is set.
   */
  async acquire(accountId: string): Promise<Release> {
    const release = this.tryAcquire(accountId);
    if (release) return release;
    const { maxWaiting, maxWaitingPerAccount, maxWaitMs } = this.bounds;
    const waitingOfAccount = this.queues.get(accountId)?.length ?? 0;
    if (waitingOfAccount >= maxWaitingPerAccount) throw this.stuckFailure() ?? this.accountFull();
    if (this.waiting >= maxWaiting) throw this.rejection(accountId);
    const startedAtMs = performance.now();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.leaveQueue(accountId, waiter);
        reject(this.lateRejection(accountId, startedAtMs));
      }, maxWaitMs);
      const waiter: Waiter = {
        resolve: (acquired) => {
          clearTimeout(timer);
          resolve(acquired);
        },
      };
      this.joinQueue(accountId, waiter);
    });
  }

  /** Waits for a permit without a time limit. For callers whose number is limited elsewhere. */
  async acquireWhenFree(accountId: string): Promise<Release> {
    return (
      this.tryAcquire(accountId) ??
      new Promise((resolve) => {
        this.joinQueue(accountId, { resolve });
      })
    );
  }

  /**
   * Returns the error of a caller that gets no permit, depending on whether its account or the
   * process is full.
   */
  rejection(accountId: string): AppError {
    if (this.isAccountFull(accountId)) return this.accountFull();
    this.rejectedForProcess += 1;
    return unavailable(this.messages.full);
  }

  private lateRejection(accountId: string, startedAtMs: number): AppError {
    const hasProgress = this.context.allowsLongHolds === true || this.releasedAtMs > startedAtMs;
    return this.stuckFailure(!hasProgress) ?? this.rejection(accountId);
  }

  private stuckFailure(hasStopped = false): AppError | undefined {
    const { stuck } = this.messages;
    if (stuck === undefined || !(hasStopped || this.context.isStuck?.() === true)) return undefined;
    this.rejectedForProcess += 1;
    return unavailable(stuck);
  }

  private accountFull(): AppError {
    this.rejectedForAccount += 1;
    return accountShareUsed(this.messages.accountFull);
  }

  private joinQueue(accountId: string, waiter: Waiter): void {
    const queue = this.queues.get(accountId);
    if (queue) queue.push(waiter);
    else this.queues.set(accountId, [waiter]);
    this.waiting += 1;
  }

  private leaveQueue(accountId: string, waiter: Waiter): void {
    const queue = this.queues.get(accountId) ?? [];
    queue.splice(queue.indexOf(waiter), 1);
    if (queue.length === 0) this.queues.delete(accountId);
    this.waiting -= 1;
  }

  private isAccountFull(accountId: string): boolean {
    const { perAccount, perActiveAccount = perAccount } = this.bounds;
    const held = this.heldByAccount.get(accountId) ?? 0;
    if (held >= perAccount) return true;
    return (
      held >= perActiveAccount && this.context.activity?.hasOtherActiveAccounts(accountId) === true
    );
  }

  private hasRoom(accountId: string): boolean {
    return this.held < this.bounds.total && !this.isAccountFull(accountId);
  }

  private take(accountId: string): Release {
    this.held += 1;
    this.heldByAccount.set(accountId, (this.heldByAccount.get(accountId) ?? 0) + 1);
    const takenAtMs = performance.now();
    let isReleased = false;
    return (usedMs = performance.now() - takenAtMs) => {
      if (isReleased) return;
      isReleased = true;
      this.release(accountId, usedMs);
    };
  }

  private release(accountId: string, usedMs: number): void {
    this.releasedAtMs = performance.now();
    this.held -= 1;
    const cooldownMs = this.cooldownMs(accountId, usedMs);
    if (cooldownMs === 0) this.releaseShare(accountId);
    else {
      setTimeout(() => {
        this.releaseShare(accountId);
        this.admit();
      }, cooldownMs).unref();
    }
    this.admit();
  }

  private cooldownMs(accountId: string, usedMs: number): number {
    const { cooldown } = this.bounds;
    if (!cooldown || usedMs <= cooldown.thresholdMs) return 0;
    const isSingle = this.heldByAccount.get(accountId) === 1;
    if (isSingle && !cooldown.appliesToLastPermit) return 0;
    const hasOthers = this.context.activity?.hasOtherActiveAccounts(accountId) === true;
    return hasOthers ? Math.min(usedMs - cooldown.thresholdMs, cooldown.maxMs) : 0;
  }

  private releaseShare(accountId: string): void {
    const held = (this.heldByAccount.get(accountId) ?? 1) - 1;
    if (held === 0) this.heldByAccount.delete(accountId);
    else this.heldByAccount.set(accountId, held);
  }

  /** Gives each free permit to the first waiting account that may have it. */
  private admit(): void {
    let accountId = this.nextInTurn();
    while (accountId !== undefined) {
      const queue = this.queues.get(accountId) ?? [];
      const next = queue.shift();
      this.queues.delete(accountId);
      if (queue.length > 0) this.queues.set(accountId, queue);
      this.waiting -= 1;
      next?.resolve(this.take(accountId));
      accountId = this.nextInTurn();
    }
  }

  private nextInTurn(): string | undefined {
    for (const accountId of this.queues.keys()) if (this.hasRoom(accountId)) return accountId;
    return undefined;
  }
}

/**
 * Returns one account's share of a resource of which the process has `total`: half of it, and at
 * least one. Half leaves room for others while one account uses its full share, and lets a single
 * account use enough of the machine.
 */
export function accountShare(total: number): number {
  return Math.max(1, Math.floor(total / 2));
}
