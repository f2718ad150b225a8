import type { TestSettings } from '../../support/test-settings';
import type { Attack, Figures } from './attack';
import { IS_MEASURED } from './limits';
import { MeasuredArena } from './measured-arena';
import { OrderedArena } from './ordered-arena';

export { hammer, idOf, type Attacker } from './attack';
export { IS_MEASURED, sized } from './limits';

/** Two instances with the default limits and the manifests' heap, a victim and an attacker. */
export interface Arena {
  readonly origins: readonly string[];
  readonly databaseUrl: string;
  /**
   * Runs an attack at the same time as the victim's requests, prints its figures, and asserts that
   * the victim and the instances were not affected. Each attack uses a new account.
   */
  run(title: string, attack: Attack): Promise<Figures>;
  stop(): Promise<void>;
}

/** @param settings Settings beside the defaults, which also the shared instances must have. */
export function startArena(settings: TestSettings = {}): Promise<Arena> {
  return IS_MEASURED ? MeasuredArena.start(settings) : OrderedArena.start(settings);
}
