import type { FailureKind } from '../destinations/destination';
import { retryMs } from './run-claim';

/** Delays in seconds as docs/connections.md names them. The last one repeats. */
const DELAYS: readonly (readonly ['sync' | 'import', FailureKind, readonly number[]])[] = [
  ['sync', 'unavailable', [2, 5, 15, 30, 60, 120, 300, 300]],
  ['sync', 'configuration', [30, 60, 300, 600, 600]],
  ['sync', 'inconsistent', [1, 60, 600, 3_600, 3_600]],
  ['import', 'unavailable', [5, 15, 60, 300, 900, 900]],
  ['import', 'configuration', [60, 300, 900, 3_600, 3_600]],
];

it.each(DELAYS)(
  'a %s that fails as %s is repeated after increasing delays',
  (work, kind, delays) => {
    const found = delays.map((_, failures) => retryMs(work, kind, failures) / 1_000);
    expect(found).toEqual(delays);
  },
);
