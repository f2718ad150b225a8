import type { Role } from '../../../src/common/permission/permission';
import { accessOf } from '../../../src/platform/http/access';
import type { Route } from '../../../src/platform/http/route-table';
import { consoleBody, consolePath, dataClient, sessionRoutes } from '../../support/console-routes';
import { expectFailure } from '../../support/failure';
import { newTeam, NO_ID, type Team } from '../../support/fixture';
import { NO_IDS } from '../../support/ids';
import { bodyFor, pathOf, routesOf } from '../../support/routes';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

afterAll(() => app.close());

/** Returns whether a role may call a route. Owners read audit events. Viewers read, editors also write rows, views and SQL queries, admins also write the rest and use webhooks, connections and public links. */
function mayCall(role: Role, { method, path }: Route): boolean {
  if (path.includes('/audit-events')) return role === 'owner';
  if (/\/(webhooks|connections|link$)/.test(path)) return role === 'admin' || role === 'owner';
  if (method === 'GET' || /\/(query|aggregate|sql)$/.test(path)) return true;
  if (/\/(rows|records)(\/(:rowId|:rowId\/restore|restore|batch|delete|import|undo))?$/.test(path))
    return role !== 'viewer';
  if (/\/(views(\/:viewId)?|queries(\/:queryId)?)$/.test(path)) return role !== 'viewer';
  if (path.endsWith('/imports/:importId')) return role !== 'viewer';
  return role === 'admin' || role === 'owner';
}

describe.each(['viewer', 'editor', 'admin', 'owner'] as const)(
  'a user with the role %s',
  (role) => {
    it.each(['key', 'session'])(
      'may call only the routes of the role by a %s',
      async (credential) => {
        const api = credential === 'key' ? team[role].api : await dataClient(app, team[role]);
        const all = routesOf(app);
        // What a session may call does not depend on the route, but on the permission that it declares.
        const firsts = new Map(all.toReversed().map((route) => [accessOf(route.handler), route]));
        const routes = credential === 'key' ? all : [...firsts.values()];
        expect(routes.length).toBeGreaterThan(10);
        for (const route of routes) {
          const path = pathOf(route, NO_IDS);
          const response = await api.send(route.method, path, bodyFor(route));
          if (!mayCall(role, route)) expectFailure(response, 'forbidden');
          else if (path.includes(NO_ID)) expectFailure(response, 'not_found');
          // The second of two roles that may create finds the name taken.
          else expect([200, 201, 409]).toContain(response.status);
        }
      },
    );

    it('may call only the calls of the console for the role', async () => {
      const session = await app.console(team[role]);
      const routes = sessionRoutes(app).filter(({ path }) =>
        /\/(users|service-accounts)/.test(path),
      );
      expect(routes.length).toBeGreaterThan(7);
      for (const route of routes) {
        const path = consolePath(route, { id: NO_ID, keyId: NO_ID });
        const response = await session.send(route.method, path, consoleBody(route));
        if (role !== 'owner') expectFailure(response, 'forbidden');
        else if (path.includes(NO_ID)) expectFailure(response, 'not_found');
        else expect([200, 201]).toContain(response.status);
      }
    });
  },
);
