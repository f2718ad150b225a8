import { eventually } from '../../support/eventually';
import type { Replicas } from './replicas';

/**
 * Waits until the last that every instance has said of Redis is that it is away, or back, and gives
 * how long that took, in ms. How often it was said does not count: a busy machine may have made an
 * instance miss it before.
 */
export async function allSayRedisIs(
  { services }: Replicas,
  state: 'away' | 'back',
): Promise<number> {
  const beganAtMs = performance.now();
  const said = /Redis is (away|back)/g;
  await eventually(
    () => services.every(({ stdout }) => [...stdout().matchAll(said)].at(-1)?.[1] === state),
    30_000,
  );
  return performance.now() - beganAtMs;
}
