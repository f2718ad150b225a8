import { eventually } from '../../support/eventually';
import type { Replicas } from './replicas';

/** Waits until every instance has said `text` so often, and gives how long that took, in ms. */
export async function allHaveLogged(
  { services }: Replicas,
  text: string,
  times = 1,
): Promise<number> {
  const beganAtMs = performance.now();
  const said = (log: string): number => log.split(text).length - 1;
  await eventually(() => services.every(({ stdout }) => said(stdout()) >= times), 30_000);
  return performance.now() - beganAtMs;
}
