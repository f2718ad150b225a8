import { accountShareUsed, unavailable, type AppError } from '../../common/error/app-error';
import type { AccountActivity } from './account-activity';

/** How many holders a shared resource takes, and how many callers wait for it. */
export interface SemaphoreBounds {
  /** Holders of all accounts together. */
  readonly total: number;
  /** Holders of one account. */
  readonly perAccount: number;
  /** Holders of one account while other accounts are active, where that is less. */
  readonly perActiveAccount?: number;
  /** Callers of all accounts that wait; 0: nobody waits. */
  readonly maxWaiting: number;
  /** Callers of one account that wait. */
  readonly maxWaitingPerAccount: number;
}

/** What the public messages call a resource, as in "Too many exports are running". */
export interface SemaphoreMessages {
  /** 503: the process has no room. */
  readonly full: string;
  /** 429: the account has used its share, and the process has room for others. */
  readonly accountFull: string;
  /** 503: the resource does not respond, or nobody gave a place back for as long as a caller waited. */
  readonly stuck?: string;
}

/** What a semaphore asks besides its own counts. */
export interface SemaphoreSources {
  /** Whether the resource does not respond, so that waiting is nobody's fault. */
  readonly isStuck?: (() => boolean) | undefined;
  /** Whether other accounts are active; without it `perActiveAccount` does not apply. */
  readonly activity?: AccountActivity | undefined;
}

/** Gives a place back. Calling it again does nothing. */
export type Release = () => void;

interface Waiter {
  readonly resolve: (release: Release) => void;
}

/**
 * Counts the holders of a shared resource, in all and for each account. An account that has used
 * its share waits, or is rejected, while others still get a place. The share may be smaller while
 * other accounts are active. Waiting accounts take turns, so one with a long queue delays another by
 * one place at most.
 */
export class AccountSemaphore {
  private held = 0;
  /** When a place was last given back. */
  private givenBackAtMs = 0;
  private waiting = 0;
  private rejectedForAccount = 0;
  private rejectedForProcess = 0;
  private readonly heldByAccount = new Map<string, number>();
  /** In the order of their turns: an account that was served goes to the end. */
  private readonly queues = new Map<string, Waiter[]>();

  constructor(
    readonly bounds: SemaphoreBounds,
    private readonly messages: SemaphoreMessages,
    private readonly sources: SemaphoreSources = {},
  ) {}

  /** Holders and waiting callers of all accounts. */
  get state(): { readonly held: number; readonly waiting: number } {
    return { held: this.held, waiting: this.waiting };
  }

  /** Callers rejected since the start: for their account's share, and for the process's bound. */
  get rejected(): { readonly account: number; readonly process: number } {
    return { account: this.rejectedForAccount, process: this.rejectedForProcess };
  }

  /** A place now, or `undefined` where there is none for this account. */
  tryAcquire(accountId: string): Release | undefined {
    if (!this.hasRoom(accountId)) return undefined;
    return this.take(accountId);
  }

  /**
   * Waits for a place.
   * @param timeoutMs How long the caller waits at most.
   * @throws AppError `rate_limited` if the account has used its share, `unavailable` if the process
   *   has no room: at once if the queue is full, otherwise after `timeoutMs`. `unavailable` also if
   *   `messages` has a text for that and the resource does not respond, or nobody gave a place back
   *   in that time.
   */
  async acquire(accountId: string, timeoutMs: number): Promise<Release> {
    const release = this.tryAcquire(accountId);
    if (release) return release;
    const { maxWaiting, maxWaitingPerAccount } = this.bounds;
    const waitingOfAccount = this.queues.get(accountId)?.length ?? 0;
    if (waitingOfAccount >= maxWaitingPerAccount) throw this.stuckFailure() ?? this.accountFull();
    if (this.waiting >= maxWaiting) throw this.rejection(accountId);
    const startedAtMs = performance.now();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.leaveQueue(accountId, waiter);
        reject(this.lateRejection(accountId, startedAtMs));
      }, timeoutMs);
      const waiter: Waiter = {
        resolve: (acquired) => {
          clearTimeout(timer);
          resolve(acquired);
        },
      };
      this.joinQueue(accountId, waiter);
    });
  }

  /** Waits for a place for as long as it takes. For callers whose number is bounded elsewhere. */
  async acquireWhenFree(accountId: string): Promise<Release> {
    return (
      this.tryAcquire(accountId) ??
      new Promise((resolve) => {
        this.joinQueue(accountId, { resolve });
      })
    );
  }

  /** The failure of a caller that gets no place: whether its account or the process is full. */
  rejection(accountId: string): AppError {
    if (this.isAccountFull(accountId)) return this.accountFull();
    this.rejectedForProcess += 1;
    return unavailable(this.messages.full);
  }

  private lateRejection(accountId: string, startedAtMs: number): AppError {
    const isMoving = this.givenBackAtMs > startedAtMs;
    return this.stuckFailure(!isMoving) ?? this.rejection(accountId);
  }

  private stuckFailure(hasStopped = false): AppError | undefined {
    const { stuck } = this.messages;
    if (stuck === undefined || !(hasStopped || this.sources.isStuck?.() === true)) return undefined;
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
    return held >= perActiveAccount && this.sources.activity?.hasOthersThan(accountId) === true;
  }

  private hasRoom(accountId: string): boolean {
    return this.held < this.bounds.total && !this.isAccountFull(accountId);
  }

  private take(accountId: string): Release {
    this.held += 1;
    this.heldByAccount.set(accountId, (this.heldByAccount.get(accountId) ?? 0) + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.giveBack(accountId);
    };
  }

  private giveBack(accountId: string): void {
    this.givenBackAtMs = performance.now();
    this.held -= 1;
    const held = (this.heldByAccount.get(accountId) ?? 1) - 1;
    if (held === 0) this.heldByAccount.delete(accountId);
    else this.heldByAccount.set(accountId, held);
    this.admit();
  }

  /** Gives the free places, each to the first account in turn that may take it. */
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
 * One account's share of a resource of which the process has `total`: half of it, and at least one.
 * Half leaves room for others while one account is at its bound, and lets a lone account use enough
 * of the machine.
 */
export function accountShare(total: number): number {
  return Math.max(1, Math.floor(total / 2));
}
