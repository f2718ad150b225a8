import { eventually } from '../../support/eventually';
import type { Replicas } from './replicas';

/**
 * Waits until the last log line of every instance about Redis has that state. Gives how long that took,
 * in ms. How often it was logged does not count: on a busy machine an instance may have missed it
 * before.
 */
export async function allLogRedis(
  { services }: Replicas,
  state: 'unavailable' | 'available',
): Promise<number> {
  const beganAtMs = performance.now();
  const said = /redis (unavailable|available)/g;
  await eventually(
    () => services.every(({ stdout }) => [...stdout().matchAll(said)].at(-1)?.[1] === state),
    30_000,
  );
  return performance.now() - beganAtMs;
}
