import { AppError } from '../../common/error/app-error';
import type { AccountActivity } from './account-activity';
import { AccountByteCounter } from './account-cache';
import { AccountSemaphore, type Release } from './account-semaphore';
import type { BytesRequest, PermitRequest, PermitResult } from './instance-limits';

/** Public messages stay in the workers. */
const NO_MESSAGES = { full: '', accountFull: '' };

/** What one worker holds. */
interface Held {
  readonly permits: Map<number, Release>;
  readonly bytes: Map<string, BytesRequest>;
}

/** The permits and bytes of all workers of an instance, in their supervisor. */
export class InstancePermits {
  private readonly semaphores = new Map<string, AccountSemaphore>();
  private readonly counters = new Map<string, AccountByteCounter>();
  private readonly held = new Map<number, Held>();
  private readonly ended = new Set<number>();

  constructor(private readonly activity: AccountActivity) {}

  /** @param worker Identifies the worker. */
  async acquire(worker: number, request: PermitRequest): Promise<PermitResult> {
    const { permit, accountId, timeoutMs } = request;
    const semaphore = this.semaphoreOf(request);
    try {
      const release =
        timeoutMs === null
          ? await semaphore.acquireNow(accountId)
          : await semaphore.acquire(accountId, timeoutMs);
      // The worker may have ended while it waited.
      if (this.ended.has(worker)) release();
      else this.heldBy(worker).permits.set(permit, release);
      return 'acquired';
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return error.code === 'rate_limited' ? 'account' : 'full';
    }
  }

  release(worker: number, permit: number): void {
    const { permits } = this.heldBy(worker);
    permits.get(permit)?.();
    permits.delete(permit);
  }

  addBytes(worker: number, request: BytesRequest): boolean {
    const { accountId, bytes } = request;
    if (!this.counterOf(request).tryAdd(accountId, bytes)) return false;
    this.note(worker, request, bytes);
    return true;
  }

  removeBytes(worker: number, request: BytesRequest): void {
    this.counterOf(request).remove(request.accountId, request.bytes);
    this.note(worker, request, -request.bytes);
  }

  /** Releases all that a worker has held. Call it when the worker has ended. */
  releaseAll(worker: number): void {
    const held = this.held.get(worker);
    this.held.delete(worker);
    this.ended.add(worker);
    for (const release of held?.permits.values() ?? []) release();
    for (const request of held?.bytes.values() ?? []) {
      this.counterOf(request).remove(request.accountId, request.bytes);
    }
  }

  private heldBy(worker: number): Held {
    let held = this.held.get(worker);
    if (!held) {
      held = { permits: new Map(), bytes: new Map() };
      this.held.set(worker, held);
    }
    return held;
  }

  private note(worker: number, request: BytesRequest, more: number): void {
    const { bytes: counts } = this.heldBy(worker);
    const key = `${request.counter} ${request.accountId}`;
    const bytes = (counts.get(key)?.bytes ?? 0) + more;
    if (bytes === 0) counts.delete(key);
    else counts.set(key, { ...request, bytes });
  }

  private semaphoreOf({ semaphore: name, bounds }: PermitRequest): AccountSemaphore {
    let semaphore = this.semaphores.get(name);
    if (!semaphore) {
      semaphore = new AccountSemaphore(bounds, NO_MESSAGES, { activity: this.activity });
      this.semaphores.set(name, semaphore);
    }
    return semaphore;
  }

  private counterOf({ counter: name, maxBytes }: BytesRequest): AccountByteCounter {
    let counter = this.counters.get(name);
    if (!counter) {
      counter = new AccountByteCounter(maxBytes);
      this.counters.set(name, counter);
    }
    return counter;
  }
}
