import { reloadFactors } from '../../session/factors-query';
import { reloadSession } from '../../session/session-query';
import { reloadSessions } from '../sessions/sessions-query';

/** Reloads what a change of a factor changes: adding one ends the other sessions. */
export async function reloadFactorsAndSessions(): Promise<void> {
  await Promise.all([reloadFactors(), reloadSessions(), reloadSession()]);
}
