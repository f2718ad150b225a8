import type { Server } from 'node:http';
import { accountShareUsed, unavailable, type AppError } from '../../common/error/app-error';
import { accountShare } from '../fairness/account-semaphore';
import type { Logger } from '../logging/logger';

/** How often it is looked at how late the event loop is. */
const TICK_MS = 50;
/** So many looks in a row make it late: one alone may be a collection of garbage. */
const LATE_TICKS = 2;
/** Of what is worked on when the loop is late so much stays allowed, and so much of the limit always. */
const KEPT = 0.8;
const MIN_SHARE = 0.5;
/** By this share of the limit the bound goes up again with each look. */
const REGAINED_SHARE = 0.02;
const REPORT_MS = 1_000;
/** From this share of the bound on, accounts that have an equal part of it get no more. */
const CROWDED_SHARE = 3 / 4;

export interface LoadLimits {
  /** Requests that are worked on at a time. */
  readonly maxConcurrentRequests: number;
  /** How late the event loop may be before fewer are. */
  readonly maxEventLoopDelayMs: number;
}

/** How much there is to do at a moment. */
export interface LoadState {
  /** Requests that are worked on. */
  readonly inProgress: number;
  /** So many may be. */
  readonly bound: number;
  /** Requests that were refused since the start. */
  readonly refused: number;
  /** Requests that were rejected since the start because their account had its share at work. */
  readonly rejectedForAccount: number;
  /** Requests without a caller that were rejected since the start for their share. */
  readonly rejectedAnonymous: number;
}

/** What every response of the service's server can say of the work on it. */
export interface CountedResponse {
  /** The service has it in hand. */
  beginWork(): void;
  /**
   * It is known whose request it is: from now on it counts for the account as well.
   * @throws AppError `rate_limited` if the account has its share of requests in progress.
   */
  countFor(accountId: string): void;
  /**
   * It is known that nobody answers for it: from now on it counts for its client address as well.
   * @throws AppError `rate_limited` if the address has its share of requests in progress;
   *   `unavailable` if all requests without a caller together have theirs.
   */
  countAnonymous(address: string): void;
  /**
   * As `beginWork`, once the body has been received.
   * @throws as `countFor`
   */
  resumeWork(): void;
  /** It is over, or waits for the client. */
  endWork(): void;
  /**
   * So many bytes more of its request's body are in memory, until the answer is over.
   * @throws AppError `unavailable`
   */
  holdBody(bytes: number): void;
  /**
   * Makes room for this response: as many bytes in all, until it is over.
   * @throws AppError `unavailable`
   */
  reserve(bytes: number): void;
  /** The same for a response that goes out in any case. */
  keepText(bytes: number): void;
}

/**
 * Bounds what this process takes on, in all and for each account. A request counts from its arrival
 * until its answer begins, but not while its body is waited for: slow clients take nobody's place.
 *
 * Before a request is authenticated nobody knows whose it is, so it is refused only where the whole
 * limit is used up. The bound on accounts is lower: half for one account, and less where several
 * accounts are busy, so that there is always room for one more. It goes down while the event loop is
 * late, so that what is over it is rejected at once instead of waiting with the rest.
 *
 * Requests without a caller share what one account may have: half, and when the process is crowded an
 * equal part. One client address has half of that half, so that no stranger keeps others from signing in.
 */
export class Load {
  private inProgress = 0;
  private bound: number;
  private lateTicks = 0;
  private refused = 0;
  private rejectedForAccount = 0;
  private rejectedAnonymous = 0;
  private strangers = 0;
  private readonly byAccount = new Map<string, number>();
  private readonly byAddress = new Map<string, number>();
  /** Of the refused, those that the log has told of. */
  private reported = 0;

  constructor(
    private readonly limits: LoadLimits,
    private readonly logger: Logger,
  ) {
    this.bound = limits.maxConcurrentRequests;
  }

  get isFull(): boolean {
    return this.inProgress >= this.limits.maxConcurrentRequests;
  }

  get state(): LoadState {
    const { inProgress, bound, refused, rejectedForAccount, rejectedAnonymous } = this;
    return { inProgress, bound, refused, rejectedForAccount, rejectedAnonymous };
  }

  begin(): void {
    this.inProgress += 1;
  }

  end(): void {
    this.inProgress -= 1;
  }

  /** Counts one of the requests in progress for its account. */
  beginFor(accountId: string): void {
    add(this.byAccount, accountId);
  }

  endFor(accountId: string): void {
    subtract(this.byAccount, accountId);
  }

  /** Counts one of the requests in progress for the client address of a stranger. */
  beginAnonymous(address: string): void {
    this.strangers += 1;
    add(this.byAddress, address);
  }

  endAnonymous(address: string): void {
    this.strangers -= 1;
    subtract(this.byAddress, address);
  }

  /**
   * Why a request that `beginFor` has just counted is not to be carried out, if so: its account has
   * more at work than its share.
   */
  excessOf(accountId: string): AppError | undefined {
    const own = this.byAccount.get(accountId) ?? 0;
    const most = accountShare(this.limits.maxConcurrentRequests);
    if (own <= most && !(this.isCrowded && own > this.equalPart)) return undefined;
    this.rejectedForAccount += 1;
    return accountShareUsed('Too many concurrent requests of this account. Retry later.');
  }

  /** Why a request that `beginAnonymous` has just counted is not to be carried out, if so. */
  excessOfAnonymous(address: string): AppError | undefined {
    const most = accountShare(this.limits.maxConcurrentRequests);
    const own = this.byAddress.get(address) ?? 0;
    const isTooMany = own > accountShare(most);
    const equalPart = Math.floor(this.bound / (this.byAccount.size + 2));
    const areTooMany =
      this.strangers > most || (this.isCrowded && this.strangers > Math.max(1, equalPart));
    if (!isTooMany && !areTooMany) return undefined;
    this.rejectedAnonymous += 1;
    return isTooMany
      ? accountShareUsed('Too many requests from this address are in progress. Retry later.')
      : unavailable('Too many requests without a key or session are in progress. Retry later.');
  }

  private get isCrowded(): boolean {
    return this.inProgress > this.bound * CROWDED_SHARE;
  }

  /** What each busy account may have at work, so that there is as much for one more. */
  private get equalPart(): number {
    const accounts = this.byAccount.size;
    return accounts === 1 ? this.bound : Math.max(1, Math.floor(this.bound / (accounts + 1)));
  }

  /** Notes that a request was refused for `isFull`. */
  countRefused(): void {
    this.refused += 1;
  }

  /** Looks at the event loop for as long as the server listens. */
  watch(server: Server): void {
    server.once('listening', () => {
      let dueAtMs = performance.now() + TICK_MS;
      const ticks = setInterval(() => {
        const nowMs = performance.now();
        this.adapt(nowMs - dueAtMs);
        dueAtMs = nowMs + TICK_MS;
      }, TICK_MS).unref();
      const reports = setInterval(() => {
        this.report();
      }, REPORT_MS).unref();
      server.once('close', () => {
        clearInterval(ticks);
        clearInterval(reports);
      });
    });
  }

  /** Moves the bound, by how late the event loop is. */
  adapt(delayMs: number): void {
    const { maxConcurrentRequests, maxEventLoopDelayMs } = this.limits;
    this.lateTicks = delayMs > maxEventLoopDelayMs ? this.lateTicks + 1 : 0;
    if (this.lateTicks >= LATE_TICKS) {
      const kept = Math.floor(Math.min(this.inProgress, this.bound) * KEPT);
      this.bound = Math.max(kept, Math.ceil(maxConcurrentRequests * MIN_SHARE));
    } else if (this.lateTicks === 0) {
      this.bound = Math.min(
        maxConcurrentRequests,
        this.bound + Math.ceil(maxConcurrentRequests * REGAINED_SHARE),
      );
    }
  }

  /** One line for all that were refused: a line each would be more work than refusing them. */
  private report(): void {
    const refused = this.refused - this.reported;
    if (refused === 0) return;
    const { inProgress } = this;
    this.reported = this.refused;
    this.logger.pino.warn({ refused, inProgress }, 'requests rejected, server overloaded');
  }
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function subtract(counts: Map<string, number>, name: string): void {
  const left = (counts.get(name) ?? 1) - 1;
  if (left === 0) counts.delete(name);
  else counts.set(name, left);
}
