import type { Server } from 'node:http';
import { accountShareUsed, unavailable, type AppError } from '../../common/error/app-error';
import { accountShare } from '../fairness/account-semaphore';
import type { Logger } from '../logging/logger';

/** Interval of event-loop delay checks, in milliseconds. */
const DELAY_CHECK_INTERVAL_MS = 50;
/** Consecutive late checks that lower the share limit. A single one may be a garbage collection. */
const LATE_CHECKS_BEFORE_DECREASE = 2;
/**
 * Late checks lower the share limit to this part of itself, or of the requests in progress if they are
 * fewer, but not below MIN_LIMIT_FACTOR of `maxConcurrentRequests`.
 */
const DECREASE_FACTOR = 0.8;
const MIN_LIMIT_FACTOR = 0.5;
/** Each check that is on time raises the share limit by this part of `maxConcurrentRequests`. */
const INCREASE_STEP = 0.02;
const REPORT_MS = 1_000;
/**
 * Part of the share limit above which accounts compete: each may then use only an equal part.
 */
const CONTENTION_THRESHOLD = 3 / 4;

export interface LoadLimits {
  /** Maximum number of requests in progress. */
  readonly maxConcurrentRequests: number;
  /** Event-loop delay in milliseconds above which the share limit decreases. */
  readonly maxEventLoopDelayMs: number;
}

/** Requests in progress now, and requests rejected since the start. */
export interface LoadState {
  readonly inProgress: number;
  /** Limit from which the equal parts of accounts and of anonymous requests are taken. */
  readonly shareLimit: number;
  /** Requests rejected because the process had reached its limit, or their connection its queue. */
  readonly rejected: number;
  /** Requests rejected because their account had used its share. */
  readonly rejectedForAccount: number;
  /** Requests without a caller rejected because they had used their share. */
  readonly rejectedAnonymous: number;
}

/** Methods of every response that count its request in the limiter and reserve memory. */
export interface CountedResponse {
  /** Starts counting the request as in progress. */
  startCounting(): void;
  /**
   * Counts the request for its account as well, now that the caller is known.
   * @throws AppError `rate_limited` if the account exceeds its share of requests in progress.
   */
  countForAccount(accountId: string): void;
  /**
   * Counts the request, which has no caller, for its client address as well.
   * @throws AppError `rate_limited` if the address exceeds its share of requests in progress;
   *   `unavailable` if all requests without a caller together exceed theirs.
   */
  countAnonymous(address: string): void;
  /**
   * Counts the request again after its body has been received.
   * @throws AppError as `countForAccount` and `countAnonymous` do.
   */
  resumeCounting(): void;
  /** Stops counting the request, because it has ended or waits for the client. */
  stopCounting(): void;
  /**
   * Counts bytes of the request body in memory until the response is over.
   * @throws AppError `rate_limited` if the account exceeds its share of the memory; `unavailable`
   *   if no memory is left.
   */
  reserveBody(bytes: number): void;
  /**
   * Reserves memory for the response until it is over.
   * @param bytes Size of the response. Texts are counted in UTF-16 code units.
   * @throws AppError `rate_limited` if the account exceeds its share of the memory; `unavailable`
   *   if no memory is left.
   */
  reserve(bytes: number): void;
  /** Like `reserve`, but never rejects: for a response that must be sent. */
  reserveAlways(bytes: number): void;
}

/**
 * Limits the requests in progress, in total and per account. A request counts from its arrival
 * until its response begins, except while its body is being received: slow clients use no capacity.
 *
 * Before a request is authenticated, its account is unknown, so it is rejected only if the process
 * has reached its limit. Afterwards, one account may use half of that limit. Under
 * contention, each account may use only an equal part of the share limit, so that one more account
 * always finds room. While the event loop is delayed, the share limit decreases, and
 * with it each account's equal part. Requests beyond that part are rejected at once.
 *
 * Anonymous requests, those without a caller, share what one account may use: half, and an equal
 * part under contention. One client address may use half of that, so that it cannot keep
 * others from signing in.
 */
export class RequestLimiter {
  private inProgress = 0;
  private shareLimit: number;
  private lateChecks = 0;
  private rejected = 0;
  private rejectedForAccount = 0;
  private rejectedAnonymous = 0;
  private anonymous = 0;
  private readonly byAccount = new Map<string, number>();
  private readonly byAddress = new Map<string, number>();
  /** Rejected requests that have been logged. */
  private reported = 0;

  constructor(
    private readonly limits: LoadLimits,
    private readonly logger: Logger,
  ) {
    this.shareLimit = limits.maxConcurrentRequests;
  }

  get isFull(): boolean {
    return this.inProgress >= this.limits.maxConcurrentRequests;
  }

  get state(): LoadState {
    const { inProgress, shareLimit, rejected, rejectedForAccount, rejectedAnonymous } = this;
    return { inProgress, shareLimit, rejected, rejectedForAccount, rejectedAnonymous };
  }

  begin(): void {
    this.inProgress += 1;
  }

  end(): void {
    this.inProgress -= 1;
  }

  /** Counts a request in progress for its account. */
  beginFor(accountId: string): void {
    add(this.byAccount, accountId);
  }

  endFor(accountId: string): void {
    subtract(this.byAccount, accountId);
  }

  /** Counts an anonymous request in progress for its client address. */
  beginAnonymous(address: string): void {
    this.anonymous += 1;
    add(this.byAddress, address);
  }

  endAnonymous(address: string): void {
    this.anonymous -= 1;
    subtract(this.byAddress, address);
  }

  /**
   * Checks the share of an account after `beginFor` has counted a request.
   * @returns the error if the account exceeds its share.
   */
  overShareError(accountId: string): AppError | undefined {
    const own = this.byAccount.get(accountId) ?? 0;
    const max = accountShare(this.limits.maxConcurrentRequests);
    if (own <= max && !(this.isContended && own > this.equalPart)) return undefined;
    this.rejectedForAccount += 1;
    return accountShareUsed('Too many concurrent requests of this account. Retry later.');
  }

  /**
   * Checks the shares of an address and of all anonymous requests after `beginAnonymous` has
   * counted a request.
   * @returns the error if a share is exceeded.
   */
  anonymousOverShareError(address: string): AppError | undefined {
    const max = accountShare(this.limits.maxConcurrentRequests);
    const own = this.byAddress.get(address) ?? 0;
    const isAddressOverShare = own > accountShare(max);
    const equalPart = Math.floor(this.shareLimit / (this.byAccount.size + 2));
    const areAnonymousOverShare =
      this.anonymous > max || (this.isContended && this.anonymous > Math.max(1, equalPart));
    if (!isAddressOverShare && !areAnonymousOverShare) return undefined;
    this.rejectedAnonymous += 1;
    return isAddressOverShare
      ? accountShareUsed('Too many requests from this address are in progress. Retry later.')
      : unavailable('Too many requests without a key or session are in progress. Retry later.');
  }

  private get isContended(): boolean {
    return this.inProgress > this.shareLimit * CONTENTION_THRESHOLD;
  }

  /** Equal part of each busy account that leaves the same part for one more account. */
  private get equalPart(): number {
    const accounts = this.byAccount.size;
    return accounts === 1
      ? this.shareLimit
      : Math.max(1, Math.floor(this.shareLimit / (accounts + 1)));
  }

  /** Counts a request that was rejected because of `isFull` or of the queue of its connection. */
  countRejected(): void {
    this.rejected += 1;
  }

  /** Checks the event loop while the server listens. */
  watch(server: Server): void {
    server.once('listening', () => {
      let dueAtMs = performance.now() + DELAY_CHECK_INTERVAL_MS;
      const ticks = setInterval(() => {
        const nowMs = performance.now();
        this.adapt(nowMs - dueAtMs);
        dueAtMs = nowMs + DELAY_CHECK_INTERVAL_MS;
      }, DELAY_CHECK_INTERVAL_MS).unref();
      const reports = setInterval(() => {
        this.report();
      }, REPORT_MS).unref();
      server.once('close', () => {
        clearInterval(ticks);
        clearInterval(reports);
      });
    });
  }

  /** Adapts the share limit to the delay of the event loop. */
  adapt(delayMs: number): void {
    const { maxConcurrentRequests, maxEventLoopDelayMs } = this.limits;
    this.lateChecks = delayMs > maxEventLoopDelayMs ? this.lateChecks + 1 : 0;
    if (this.lateChecks >= LATE_CHECKS_BEFORE_DECREASE) {
      const kept = Math.floor(Math.min(this.inProgress, this.shareLimit) * DECREASE_FACTOR);
      this.shareLimit = Math.max(kept, Math.ceil(maxConcurrentRequests * MIN_LIMIT_FACTOR));
    } else if (this.lateChecks === 0) {
      this.shareLimit = Math.min(
        maxConcurrentRequests,
        this.shareLimit + Math.ceil(maxConcurrentRequests * INCREASE_STEP),
      );
    }
  }

  /**
   * Logs one line for all requests rejected since the last: one line each would cost more than
   * rejecting.
   */
  private report(): void {
    const rejected = this.rejected - this.reported;
    if (rejected === 0) return;
    const { inProgress } = this;
    this.reported = this.rejected;
    this.logger.pino.warn({ rejected, inProgress }, 'requests rejected, server overloaded');
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
