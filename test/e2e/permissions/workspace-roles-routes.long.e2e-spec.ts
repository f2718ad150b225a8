import type { Route } from '../../../src/platform/http/route-table';
import { roleHas, WORKSPACE_ROLES } from '../../../src/common/permission/permission';
import { accessOf } from '../../../src/platform/http/access';
import type { ApiClient, ApiResponse } from '../../support/api-client';
import type { ConsoleClient } from '../../support/console-client';
import { consoleBody, consolePath, dataClient, sessionRoutes } from '../../support/console-routes';
import { expectFailure } from '../../support/failure';
import { newTeam, NO_ID, type Team } from '../../support/fixture';
import { type Ids, newIds, NO_IDS } from '../../support/ids';
import { bodyFor, pathOf, routesOf } from '../../support/routes';
import { newWorkspaceMember } from '../../support/members';
import { TestApp, type Member } from '../../support/test-app';

// It calls each route several times.
jest.setTimeout(300_000);

let app: TestApp;
let team: Team;
let owner: ConsoleClient;
let own: Ids;
let other: Ids;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  owner = await app.console(team.owner);
  own = await newIds(team.owner);
  other = await newIds(team.owner);
});

afterAll(() => app.close());

const newMember = (role: string, workspaceId = own.workspaceId): Promise<Member> =>
  newWorkspaceMember(app, owner, team.owner, { workspaceId, role });

const call = (api: ApiClient, route: Route, ids: Ids): Promise<ApiResponse> =>
  api.send(route.method, pathOf(route, ids), bodyFor(route, ids));

const isOfOne = ({ path }: Route): boolean => /:(workspaceId|datagridId)/.test(path);
const isRead = ({ method }: Route): boolean => method === 'GET';

describe.each(WORKSPACE_ROLES)('a member with the role %s in one workspace', (role) => {
  it.each(['key', 'session'])(
    'may call the routes of the role there by a %s, and finds nothing elsewhere',
    async (credential) => {
      const member = await newMember(role);
      const api = credential === 'key' ? member.api : await dataClient(app, member);
      const routes = routesOf(app).filter(isOfOne);
      expect(routes.length).toBeGreaterThan(60);
      for (const route of routes) {
        const access = accessOf(route.handler);
        if (access === null || access === 'public' || access === 'scim')
          throw new Error('Every route has an access.');
        expectFailure(await call(api, route, other), 'not_found');
        expectFailure(await call(api, route, NO_IDS), 'not_found');
        if (!roleHas(role, access)) expectFailure(await call(api, route, own), 'forbidden');
        else if (isRead(route)) expect((await call(api, route, own)).status).toBe(200);
      }
    },
  );

  it('lists only this workspace, and uses no route of the account', async () => {
    const { api } = await newMember(role);
    expect((await api.get('/workspaces')).body.data).toEqual([
      expect.objectContaining({ id: own.workspaceId }),
    ]);
    expectFailure(await api.post('/workspaces', { name: 'Mine' }), 'forbidden');
    expectFailure(await api.get('/trash'), 'forbidden');
  });

  it('may call only the own calls of the console', async () => {
    const session = await app.console(await newMember(role));
    for (const route of sessionRoutes(app)) {
      const isOwn = accessOf(route.handler)?.startsWith('self:') === true;
      if (isOwn) continue;
      const path = consolePath(route, { id: NO_ID, keyId: NO_ID });
      expectFailure(await session.send(route.method, path, consoleBody(route)), 'forbidden');
    }
  });
});
