import type { CallResult } from './loader';

/** What came of many calls, for `printFigures`; statuses by class. */
export function summary(results: readonly CallResult[]): Record<string, number> {
  const of = (from: number, to: number): number =>
    results.filter(({ status }) => status >= from && status < to).length;
  return {
    requests: results.length,
    acknowledged: of(200, 300),
    refused: results.filter(({ status }) => status === 503 || status === 429).length,
    'without an answer': of(0, 1),
    'longest ms': Math.max(0, ...results.map(({ tookMs }) => tookMs)),
  };
}

/** Statuses that nobody may ever see, with what they said. */
export function faultsAmong(results: readonly CallResult[]): string[] {
  const wrong = results.filter(({ status }) => status >= 500 && status !== 503);
  return wrong.map(({ status, text }) => `${String(status)} ${text}`);
}

/** Refusals that do not say when to come again. */
export function speechless(results: readonly CallResult[]): CallResult[] {
  return results.filter(
    ({ status, retryAfter }) => status === 503 && !/^[1-9]\d*$/.test(retryAfter ?? ''),
  );
}

/** From a moment on `performance`'s clock until the first success that was sent after it; in ms. */
export function recoveryMs(results: readonly CallResult[], sinceMs: number): number {
  const ends = results
    .filter(({ status, sentAtMs }) => status >= 200 && status < 300 && sentAtMs >= sinceMs)
    .map(({ sentAtMs, tookMs }) => sentAtMs + tookMs);
  return Math.min(...ends) - sinceMs;
}
