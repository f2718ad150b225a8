import type { AppRequest } from './app-request';

/** The pattern of the route that took a request, with nothing of what was sent in it. */
export function routeOf(request: AppRequest): string | undefined {
  return (request.route as { path?: string } | undefined)?.path;
}
