import { accessOf } from '../../../src/platform/http/access';
import { PUBLIC_API } from '../../../src/platform/http/public-api';
import { RouteTable, type Route } from '../../../src/platform/http/route-table';
import type { ApiClient } from '../../support/api-client';
import { dataOf, freshName, newWorkspace } from '../../support/fixture';
import type { TestApp } from '../../support/test-app';

/** What stands for the parameters of a route's path. */
export interface PathValues {
  readonly workspaceId: string;
  readonly datagridId: string;
  readonly key: string;
  readonly rowId: string;
}

/** Every route but those that catch the rest. */
export function declaredRoutes(app: TestApp): Route[] {
  const routes = app.nest.get(RouteTable, { strict: false }).all();
  return routes.filter(({ method }) => method !== 'ALL');
}

/** Every route that asks for a key. */
export function keyedRoutes(app: TestApp): Route[] {
  return declaredRoutes(app).filter(({ handler }) => accessOf(handler) !== 'public');
}

export function isWrite({ handler }: Route): boolean {
  return accessOf(handler)?.endsWith(':write') === true;
}

export function hasBody({ method }: Route): boolean {
  return ['POST', 'PUT', 'PATCH'].includes(method);
}

/** The path with its parameters filled in, below the API's base. */
export function pathOf({ path }: Route, values: PathValues): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = (values as unknown as Record<string, string | undefined>)[name];
    if (value === undefined) throw new Error(`No value for :${name}`);
    return value;
  });
  return filled.slice(`/${PUBLIC_API}`.length);
}

/** A body that the route takes. */
export function bodyOf(route: Route): object | undefined {
  if (!hasBody(route)) return undefined;
  if (/\/(rows|records)(\/|$)/.test(route.path)) return { values: { u: freshName() } };
  if (!route.path.includes('/columns')) return { name: freshName() };
  return route.method === 'POST' ? { key: 'added', type: 'text' } : { title: freshName() };
}

/** A workspace with a datagrid, a unique column and a row: each parameter names something. */
export async function newPathValues(api: ApiClient): Promise<PathValues> {
  const workspaceId = await newWorkspace(api);
  const columns = [{ key: 'u', type: 'text', unique: true }];
  const grid = { name: freshName(), columns };
  const created = await api.post(`/workspaces/${workspaceId}/datagrids`, grid);
  const datagridId: string = dataOf(created, 201).id;
  const row = await api.post(`/datagrids/${datagridId}/rows`, { values: { u: freshName() } });
  return { workspaceId, datagridId, key: 'u', rowId: String(dataOf(row, 201).id) };
}
