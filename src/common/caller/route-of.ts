import type { AppRequest } from './app-request';

/**
 * Returns the pattern of the route that matched a request. It contains nothing that the client
 * sent.
 */
export function routeOf(request: AppRequest): string | undefined {
  return (request.route as { path?: string } | undefined)?.path;
}
