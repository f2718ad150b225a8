import { queryOptions } from '@tanstack/react-query';
import { isApiError } from '../api/api-error';
import { request } from '../api/client';
import { forgetCsrfToken, keepCsrfToken } from '../api/csrf';
import type { Session } from '../api/types';
import { queryClient } from '../query-client';
import { setSignedOutReason } from './signed-out-reason';

/** The session, or `null` if nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      const { data } = await request<Session>('GET', '/session', { signal });
      keepCsrfToken(data);
      return data;
    } catch (error) {
      if (isApiError(error, 'unauthenticated') || isApiError(error, 'account_suspended'))
        return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

export const reloadSession = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });

/** Starts with a session that the server has just returned. */
export function beginSession(session: Session): void {
  setSignedOutReason(undefined);
  removeCachedData();
  keepCsrfToken(session);
  queryClient.setQueryData(sessionQuery.queryKey, session);
}

/** Removes the session and all data that was read with it. */
export function endSession(): void {
  forgetCsrfToken();
  queryClient.setQueryData(sessionQuery.queryKey, null);
  removeCachedData();
}

/** Everything except the session itself. */
function removeCachedData(): void {
  const [own] = sessionQuery.queryKey;
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== own });
}
