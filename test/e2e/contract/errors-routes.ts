import { accessOf } from '../../../src/platform/http/access';
import { RouteTable, type Route } from '../../../src/platform/http/route-table';
import { isOfConsole } from '../../support/console-routes';
import type { TestApp } from '../../support/test-app';

/**
 * Returns all routes, with and without a key, except those of the console and the catch-all routes.
 */
export function declaredRoutes(app: TestApp): Route[] {
  const routes = app.nest.get(RouteTable, { strict: false }).all();
  return routes.filter(({ method, path }) => method !== 'ALL' && !isOfConsole(path));
}

export function isWrite({ handler }: Route): boolean {
  return accessOf(handler)?.endsWith(':write') === true;
}

/** Returns true if a route accepts a JSON body. */
export function hasBody({ method, path }: Route): boolean {
  return (
    !/\/(:itemId\/restore|import|rotate|:\w+\/test|reset|check|repair|run)$/.test(path) &&
    ['POST', 'PUT', 'PATCH'].includes(method)
  );
}
