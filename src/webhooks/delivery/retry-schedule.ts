/** Fraction by which a delay is lengthened at random, so that retries do not come all at once. */
const JITTER = 0.1;

/** HTTP 410: the endpoint asks for no further deliveries. */
const GONE = 410;

/** Result of an attempt. */
export type Outcome = 'delivered' | 'failed' | 'gone';

/**
 * Returns the outcome of an attempt. An endpoint accepts a delivery with any 2xx status.
 * @param status Status of the response; `null` if there was none.
 */
export function outcomeOf(status: number | null): Outcome {
  if (status !== null && status >= 200 && status < 300) return 'delivered';
  return status === GONE ? 'gone' : 'failed';
}

/** Describes a failed attempt for the owner of the webhook. */
export function describeFailure(status: number | null, error: string | null): string {
  if (status === null) return error ?? 'The request failed.';
  const isRedirect = status >= 300 && status < 400;
  const responded = `The endpoint responded with ${String(status)}.`;
  return isRedirect ? `${responded} Redirects are not followed.` : responded;
}

/**
 * Returns the delay before the next attempt in milliseconds, with jitter.
 * @param delays Delays in seconds; the last one repeats.
 * @param failures Failed attempts so far, from 1.
 * @param retryAfterMs `Retry-After` of the response, which can lengthen the delay.
 */
export function retryDelayMs(
  delays: readonly number[],
  failures: number,
  retryAfterMs: number | null,
  random: () => number = Math.random,
): number {
  const seconds = delays[Math.min(failures, delays.length) - 1] ?? 0;
  return Math.round(Math.max(seconds * 1_000 * (1 + JITTER * random()), retryAfterMs ?? 0));
}
