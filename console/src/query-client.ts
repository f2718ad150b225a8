import { QueryClient } from '@tanstack/react-query';
import { isApiError } from './api/api-error';

const RETRIES = 2;

/** Only an outage is worth a second try: every other failure would be the same again. */
function isWorthRetrying(failures: number, error: unknown): boolean {
  return failures < RETRIES && isApiError(error) && error.isOutage;
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The browser's idea of being online is not asked: the server may be on this machine.
      networkMode: 'always',
      retry: isWorthRetrying,
      retryDelay: 1_000,
      staleTime: 10_000,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});
