import { ApiError, ConnectionError } from './error.ts';

/** A retry that is about to be made. */
export interface Retry {
  /** Error of the last attempt. */
  readonly error: ApiError | ConnectionError;
  /** Number of attempts made so far. */
  readonly attempt: number;
  readonly waitMs: number;
}

export interface RetryPolicy {
  /** Maximum number of attempts, including the first. */
  readonly maxAttempts: number;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

interface RetryOptions extends RetryPolicy {
  readonly signal?: AbortSignal | undefined;
  /** Returns whether the work can be run again. Called after each failure. */
  readonly mayRepeat?: (() => boolean) | undefined;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** A longer `Retry-After` is not waited for: the error is thrown. */
const LONGEST_RETRY_AFTER_SECONDS = 120;
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/** Returns whether the same request, with the same key, may succeed later. */
export function isTransient(error: unknown): error is ApiError | ConnectionError {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof ApiError)) return false;
  // An import that has started is not started again. Its report is at `Location`.
  if (error.location !== null) return false;
  if ((error.retryAfterSeconds ?? 0) > LONGEST_RETRY_AFTER_SECONDS) return false;
  return TRANSIENT_STATUSES.has(error.status) || error.code === 'idempotency_key_in_use';
}

/**
 * Runs `work`, and repeats it after a transient error. Waits as long as the service requests, or
 * otherwise doubles the wait from FIRST_WAIT_MS to at most LONGEST_WAIT_MS, with random jitter, so that
 * clients that fail together do not retry together.
 * @throws the last error, or the reason of `signal`.
 */
export async function withRetries<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { maxAttempts, signal, onRetry, mayRepeat = () => true } = options;
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      if (!isTransient(error) || attempt >= maxAttempts || !mayRepeat()) throw error;
      const waitMs = waitFor(attempt, error);
      onRetry?.({ error, attempt, waitMs });
      await delay(waitMs, signal);
    }
  }
}

function waitFor(attempt: number, error: ApiError | ConnectionError): number {
  const requested = error instanceof ApiError ? error.retryAfterSeconds : null;
  if (requested !== null) return requested * 1000 * (1 + Math.random() / 25);
  const longest = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS);
  return longest * (0.5 + Math.random() / 2);
}

/** @throws the reason of `signal` as soon as it is aborted. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted === true) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
    if (signal?.aborted === true) end();
  });
}
