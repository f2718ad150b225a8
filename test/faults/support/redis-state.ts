import { eventually } from '../../support/eventually';
import type { Replicas } from './replicas';

/**
 * Waits until the last log line about Redis of every instance has this state. The number of log lines
 * does not matter, because an instance on a busy machine may have missed an earlier change.
 */
export async function allLogRedis(
  { services }: Replicas,
  state: 'unavailable' | 'available',
): Promise<void> {
  const said = /redis (unavailable|available)/g;
  await eventually(
    () => services.every(({ stdout }) => [...stdout().matchAll(said)].at(-1)?.[1] === state),
    60_000,
  );
}
