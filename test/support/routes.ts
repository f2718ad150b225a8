import { RouteTable, type Route } from '../../src/platform/http/route-table';
import { API, FileBody } from './api-client';
import { FAKE_SETTINGS } from './fake-destination';
import type { TestApp } from './test-app';

/** Routes that need no key. */
const OPEN = new Set([`${API}/openapi.json`]);

/** Returns all routes of the public API, except the open ones and the catch-all route. */
export function routesOf(app: TestApp): Route[] {
  return app.nest
    .get(RouteTable, { strict: false })
    .all()
    .filter(
      ({ method, path }) => path.startsWith(`${API}/`) && method !== 'ALL' && !OPEN.has(path),
    );
}

/** Returns the route's path relative to the API's base, with its parameters filled in. */
export function pathOf(route: Route, parameters: Readonly<Record<string, string>>): string {
  return route.path.slice(API.length).replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = parameters[name];
    if (value === undefined) throw new Error(`No value for :${name} of ${route.path}.`);
    return value;
  });
}

/** A valid id that does not exist. */
const NO_DATAGRID = '019aa2f4-0000-7000-8000-000000000000';

const BODIES: Readonly<Record<string, object | undefined>> = {
  'POST workspaces': { name: 'Sent to every route' },
  'PATCH :workspaceId': { description: 'Sent to every route' },
  'POST datagrids': { name: 'Sent to every route' },
  'PATCH :datagridId': { description: 'Sent to every route' },
  'POST columns': { key: 'added', type: 'text' },
  'PATCH :key': { title: 'Sent to every route' },
  'POST rows': { values: {} },
  'POST query': {},
  'POST aggregate': {},
  'POST sql': { sql: 'SELECT 1' },
  'POST batch': { mode: 'atomic', operations: [{ op: 'create', values: {} }] },
  // Requests that run at the same time may write the same row.
  'POST undo': { revision: 1, dryRun: true, skipConflicts: true },
  'POST delete': { filter: {}, dryRun: true },
  'PUT rows': { matchOn: ['u'], rows: [{ values: { u: 'sent' } }] },
  'POST restore': undefined,
  // The fixtures have deleted this row.
  'POST trash/rows/restore': { ids: [2] },
  // And this column.
  'POST trash/columns/restore': { id: 1 },
  'POST :rowId/restore': { revision: 1 },
  'PATCH :rowId': { values: {} },
  'PUT :rowId': { values: {} },
  'POST views': { name: 'Sent to every route' },
  'PATCH :viewId': { name: 'Sent to this view' },
  'POST queries': { name: 'Sent to every route', sql: 'SELECT 1' },
  'PATCH :queryId': { name: 'Sent to this query' },
  'POST link': {},
  'POST webhooks': { url: 'https://receiver.invalid/hook' },
  'PATCH :webhookId': { description: 'Sent to every route' },
  'POST connections': { name: 'Sent', type: 'postgresql', settings: FAKE_SETTINGS },
  'POST connections/test': { type: 'postgresql', settings: FAKE_SETTINGS },
  'PATCH :connectionId': { name: 'Sent to every route' },
  'PATCH tables/:datagridId': { columns: null },
  'POST reset': undefined,
  'POST check': undefined,
  'POST repair': undefined,
  'POST rotate': undefined,
  'POST test': undefined,
  'POST replay': { since: new Date().toISOString() },
  'POST imports': {
    name: 'Sent',
    datagridId: NO_DATAGRID,
    query: "SELECT 'x' AS u",
    keyColumns: ['u'],
  },
  'POST :key/preview': { required: true },
  'POST preview': { query: "SELECT 'x' AS u" },
  'PATCH :scheduledImportId': { name: 'Sent to every route' },
  'POST run': undefined,
  'POST import': new FileBody('application/x-ndjson', '{}\n'),
};

/**
 * Returns a body that the route accepts, if it takes one. Add new routes here.
 * @param ids Ids of resources that a body names.
 */
export function bodyFor(
  { method, path }: Route,
  { datagridId = NO_DATAGRID }: Readonly<Record<string, string>> = {},
): object | undefined {
  if (method === 'GET' || method === 'DELETE') return undefined;
  const rowsPath = path.replace('/records', '/rows');
  const last = rowsPath.slice(rowsPath.lastIndexOf('/') + 1);
  const [parent = ''] =
    /(:rowId|:key|connections|tables|trash\/rows|trash\/columns)\/(?=[^/]+$)/.exec(rowsPath) ?? [];
  const full = `${method} ${parent}${last}`;
  const name = Object.hasOwn(BODIES, full) ? full : `${method} ${last}`;
  if (!Object.hasOwn(BODIES, name)) throw new Error(`No body to try ${method} ${path} with.`);
  const body = BODIES[name];
  return body && 'datagridId' in body ? { ...body, datagridId } : body;
}
