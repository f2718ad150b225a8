import { RouteTable, type Route } from '../../src/platform/http/route-table';
import { API, FileBody } from './api-client';
import type { TestApp } from './test-app';

/** What anybody may read without a key. */
const OPEN = new Set([`${API}/openapi.json`]);

/** Every route of the public API, but for the open ones and the one that catches the rest. */
export function routesOf(app: TestApp): Route[] {
  return app.nest
    .get(RouteTable, { strict: false })
    .all()
    .filter(
      ({ method, path }) => path.startsWith(`${API}/`) && method !== 'ALL' && !OPEN.has(path),
    );
}

/** The route's path below the API's base, with its parameters filled in. */
export function pathOf(route: Route, parameters: Readonly<Record<string, string>>): string {
  return route.path.slice(API.length).replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = parameters[name];
    if (value === undefined) throw new Error(`No value for :${name} of ${route.path}.`);
    return value;
  });
}

const BODIES: Readonly<Record<string, object | undefined>> = {
  'POST workspaces': { name: 'Sent to every route' },
  'PATCH :workspaceId': { description: 'Sent to every route' },
  'POST datagrids': { name: 'Sent to every route' },
  'PATCH :datagridId': { description: 'Sent to every route' },
  'POST columns': { key: 'added', type: 'text' },
  'PATCH :key': { title: 'Sent to every route' },
  'POST rows': { values: {} },
  'POST query': {},
  'POST batch': { mode: 'atomic', operations: [{ op: 'create', values: {} }] },
  'POST delete': { filter: {}, dryRun: true },
  'PUT rows': { matchOn: ['u'], rows: [{ values: { u: 'sent' } }] },
  'POST restore': undefined,
  'PATCH :rowId': { values: {} },
  'PUT :rowId': { values: {} },
  'POST import': new FileBody('application/x-ndjson', '{}\n'),
};

/** A body that the route takes, where it takes one. A new route has to be told of here. */
export function bodyFor({ method, path }: Route): object | undefined {
  if (method === 'GET' || method === 'DELETE') return undefined;
  const last = path.slice(path.lastIndexOf('/') + 1).replace('records', 'rows');
  const name = `${method} ${last}`;
  if (!Object.hasOwn(BODIES, name)) throw new Error(`No body to try ${method} ${path} with.`);
  return BODIES[name];
}
