import type { CallResult } from './loader';

/** Summarizes calls for `printFigures`, by class of status. */
export function summary(results: readonly CallResult[]): Record<string, number> {
  const of = (from: number, to: number): number =>
    results.filter(({ status }) => status >= from && status < to).length;
  return {
    requests: results.length,
    acknowledged: of(200, 300),
    rejected: results.filter(({ status }) => status === 503 || status === 429).length,
    'without a response': of(0, 1),
    'longest ms': Math.max(0, ...results.map(({ tookMs }) => tookMs)),
  };
}

/** Returns the server errors that are never allowed (5xx except 503), with their body. */
export function faultsAmong(results: readonly CallResult[]): string[] {
  const wrong = results.filter(({ status }) => status >= 500 && status !== 503);
  return wrong.map(({ status, text }) => `${String(status)} ${text}`);
}

/** Returns the 503 responses without a valid `Retry-After` header. */
export function withoutRetryAfter(results: readonly CallResult[]): CallResult[] {
  return results.filter(
    ({ status, retryAfter }) => status === 503 && !/^[1-9]\d*$/.test(retryAfter ?? ''),
  );
}

/**
 * Returns the time in milliseconds from `sinceMs`, on the clock of `performance`, to the end of the
 * first successful call sent after it.
 */
export function recoveryMs(results: readonly CallResult[], sinceMs: number): number {
  const ends = results
    .filter(({ status, sentAtMs }) => status >= 200 && status < 300 && sentAtMs >= sinceMs)
    .map(({ sentAtMs, tookMs }) => sentAtMs + tookMs);
  return Math.min(...ends) - sinceMs;
}
