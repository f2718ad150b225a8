import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { isApiError } from '../api/api-error';
import { request } from '../api/client';
import { endSession } from './session-query';

/**
 * Ends the session on the server, then in the browser. A session that has already ended counts as
 * success.
 */
export function useSignOut(): UseMutationResult<void, Error, void> {
  return useMutation({
    mutationFn: async () => {
      try {
        await request('DELETE', '/session', { isSessionQuiet: true });
      } catch (error) {
        if (!isApiError(error, 'unauthenticated')) throw error;
      }
    },
    onSuccess: endSession,
  });
}
