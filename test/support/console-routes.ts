import { accessOf } from '../../src/platform/http/access';
import { RouteTable, type Route } from '../../src/platform/http/route-table';
import { CONSOLE } from './console-client';
import type { TestApp } from './test-app';

/** Whether a path is one of the console's: its calls, its pages, and what they load. */
export function isOfConsole(path: string): boolean {
  return !/^\/(api|health)\//.test(path);
}

/** Every call of the console's own, but for the one that catches the rest. */
export function consoleRoutes(app: TestApp): Route[] {
  const routes = app.nest.get(RouteTable, { strict: false }).all();
  return routes.filter(({ method, path }) => method !== 'ALL' && path.startsWith(`${CONSOLE}/`));
}

/** Those of them that ask for a session. */
export function sessionRoutes(app: TestApp): Route[] {
  return consoleRoutes(app).filter(({ handler }) => accessOf(handler) !== 'public');
}

/** The route's path below the console's base, with its parameters filled in. */
export function consolePath({ path }: Route, parameters: Readonly<Record<string, string>>): string {
  return path.slice(CONSOLE.length).replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = parameters[name];
    if (value === undefined) throw new Error(`No value for :${name} of ${path}.`);
    return value;
  });
}

const BODIES: Readonly<Record<string, object>> = {
  'POST /session': { email: 'nobody@example.com', password: 'not a password' },
  'PUT /password': { currentPassword: 'not a password', newPassword: 'nor is this' },
  'POST /invites/:token': { password: 'a password of the tests' },
  'POST /users': { email: 'sent-to-every-route@example.com', role: 'viewer' },
  'PATCH /users/:id': { role: 'viewer' },
  'POST /datagrids/:id/columns/:key/preview': { required: true },
  'POST /keys': { name: 'Sent to every route' },
  'POST /keys/:id/rotation': { keepForSeconds: 0 },
};

/** A body that the route takes, where it takes one. A new route has to be told of here. */
export function consoleBody({ method, path }: Route): object | undefined {
  if (method === 'GET' || method === 'DELETE') return undefined;
  const body = BODIES[`${method} ${path.slice(CONSOLE.length)}`];
  if (!body && !path.endsWith('/invite')) throw new Error(`No body to try ${method} ${path} with.`);
  return body;
}
