import { createContext, useContext } from 'react';
import type { Session } from '../api/types';

export const SessionContext = createContext<Session | undefined>(undefined);

/** Returns the session in components inside `RequireSession`. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('This part needs a session.');
  return session;
}
