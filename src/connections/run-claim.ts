import { AppError } from '../common/error/app-error';
import type { FailureKind } from '../destinations/destination';

/** Time for which a worker claims a table or a scheduled import. */
export const LEASE_MS = 15_000;
/** A worker extends its claim so often in this time. A run that was paused ends with the next extension. */
const EXTENSIONS_PER_LEASE = 6;

/** What a worker has claimed: a target table to sync, or a scheduled import. */
export interface Claim {
  readonly connectionId: string;
  /** Id of the table or of the scheduled import. */
  readonly id: string;
  /** Higher than that of each claim before it. */
  readonly token: number;
}

/** Thrown if what was claimed was changed, paused or deleted, or another worker has claimed it. */
export class ClaimLostError extends AppError {
  constructor() {
    super(
      'conflict',
      'The connection or scheduled import was changed, paused or deleted during the run.',
    );
  }
}

/**
 * Extends a claim until it is lost. If the database cannot be reached, it is tried again: whether the
 * claim is lost then is found out when something is written.
 * @param extend Returns whether the claim still exists.
 * @returns a function that ends it.
 */
export function keepClaim(
  extend: () => Promise<boolean>,
  onLost: (error: ClaimLostError) => void,
): () => void {
  const timer = setInterval(() => {
    void extend()
      .then((isClaimed) => {
        if (!isClaimed) onLost(new ClaimLostError());
      })
      .catch(() => undefined);
  }, LEASE_MS / EXTENSIONS_PER_LEASE).unref();
  return () => {
    clearInterval(timer);
  };
}

/**
 * Delays before a failed run is repeated, in seconds. The last one repeats. A sync continues where it
 * failed. An import reads its whole result again, so it waits longer.
 */
const RETRY_SECONDS: Readonly<
  Record<'sync' | 'import', Readonly<Record<FailureKind, readonly number[]>>>
> = {
  sync: {
    unavailable: [2, 5, 15, 30, 60, 120, 300],
    configuration: [30, 60, 300, 600],
    // The next run loads the table again.
    inconsistent: [1, 60, 600, 3_600],
  },
  import: {
    unavailable: [5, 15, 60, 300, 900],
    configuration: [60, 300, 900, 3_600],
    inconsistent: [60, 300, 900, 3_600],
  },
};

/**
 * Returns the time until a failed run is repeated.
 * @param failures Failed runs since the last one that succeeded, without this one.
 */
export function retryMs(work: 'sync' | 'import', kind: FailureKind, failures: number): number {
  const delays = RETRY_SECONDS[work][kind];
  return (delays[Math.min(failures, delays.length - 1)] ?? 0) * 1_000;
}
