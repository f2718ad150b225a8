import { createContext, useContext } from 'react';
import type { Session } from '../api/types';

export const SessionContext = createContext<Session | undefined>(undefined);

/** Returns the session in components inside `RequireSession`. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('This part needs a session.');
  return session;
}

export const SECOND_FACTOR = '/profile/second-factor';

/** Pages that a user may open who lacks the second factor that the account requires. */
export const WITHOUT_SECOND_FACTOR: ReadonlySet<string> = new Set([
  SECOND_FACTOR,
  '/profile/sessions',
  '/profile/password',
]);
