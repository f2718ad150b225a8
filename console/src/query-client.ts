import { QueryClient, type queryOptions } from '@tanstack/react-query';
import { isApiError } from './api/api-error';

/** Options of a query, as `queryOptions` returns them. */
export type Query<T> = ReturnType<typeof queryOptions<T, Error, T, string[]>>;

const RETRIES = 2;

/** Retries only if the server is unavailable. Other errors would occur again. */
function isWorthRetrying(failures: number, error: unknown): boolean {
  return failures < RETRIES && isApiError(error) && error.isOutage;
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Ignore the online state of the browser: the server may run on the same machine.
      networkMode: 'always',
      retry: isWorthRetrying,
      retryDelay: 1_000,
      staleTime: 10_000,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});
