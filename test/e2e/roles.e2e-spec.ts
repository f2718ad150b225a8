import type { Role } from '../../src/common/permission/permission';
import type { Route } from '../../src/platform/http/path-id';
import { expectFailure } from '../support/failure';
import { newTeam, NO_ID, type Team } from '../support/fixture';
import { bodyFor, pathOf, routesOf } from '../support/routes';
import { TestApp } from '../support/test-app';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.start();
  team = await newTeam(app);
});

afterAll(() => app.close());

/** Returns whether a role may call a route. Viewers read, editors also write rows and views, admins also write the rest and use webhooks, connections and public links. */
function mayCall(role: Role, { method, path }: Route): boolean {
  if (/\/(webhooks|connections|link$)/.test(path)) return role === 'admin' || role === 'owner';
  if (method === 'GET' || /\/(query|aggregate)$/.test(path)) return true;
  if (/\/(rows|records)(\/(:rowId|:rowId\/restore|restore|batch|delete|import|undo))?$/.test(path))
    return role !== 'viewer';
  if (/\/views(\/:viewId)?$/.test(path)) return role !== 'viewer';
  if (path.endsWith('/imports/:importId')) return role !== 'viewer';
  return role === 'admin' || role === 'owner';
}

describe.each(['viewer', 'editor', 'admin', 'owner'] as const)(
  'a user with the role %s',
  (role) => {
    it('may call only the routes of the role', async () => {
      const routes = routesOf(app);
      expect(routes.length).toBeGreaterThan(20);
      for (const route of routes) {
        const path = pathOf(route, {
          workspaceId: NO_ID,
          datagridId: NO_ID,
          rowId: '1',
          key: 'n',
          itemId: NO_ID,
          importId: NO_ID,
          viewId: NO_ID,
          webhookId: NO_ID,
          connectionId: NO_ID,
          scheduledImportId: NO_ID,
        });
        const response = await team[role].api.send(route.method, path, bodyFor(route));
        if (!mayCall(role, route)) expectFailure(response, 'forbidden');
        else if (path.includes(NO_ID)) expectFailure(response, 'not_found');
        // The second of two roles that may create finds the name taken.
        else expect([200, 201, 409]).toContain(response.status);
      }
    });
  },
);
