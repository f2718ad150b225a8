import { expectFailure } from '../../support/failure';
import { newTeam, newWorkspace, NO_ID, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let workspace: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  workspace = await newWorkspace(team.owner.api);
});

afterAll(() => app.close());

describe('GET /workspaces/{workspaceId}', () => {
  it.each(['owner', 'admin', 'editor', 'viewer'] as const)(
    'returns the workspace to the role %s',
    async (role) => {
      const { status, body, headers } = await team[role].api.get(`/workspaces/${workspace}`);
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(['data']);
      const properties = ['id', 'name', 'description', 'createdAt', 'updatedAt'];
      expect(Object.keys(body.data)).toEqual(properties);
      expect(headers.get('cache-control')).toBe('private, no-cache');
      expect(headers.get('etag')).not.toBeNull();
    },
  );

  it('accepts the id in uppercase', async () => {
    const { body } = await team.viewer.api.get(`/workspaces/${workspace.toUpperCase()}`);
    expect(body.data.id).toBe(workspace);
  });

  it('returns 304 for every form of If-None-Match that contains the ETag', async () => {
    const path = `/workspaces/${workspace}`;
    const etag = (await team.viewer.api.get(path)).headers.get('etag') ?? '';
    for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const same = await team.viewer.api.get(path, { 'if-none-match': sent });
      expect([sent, same.status, same.text]).toEqual([sent, 304, '']);
      expect(same.headers.get('etag')).toBe(etag);
    }
  });

  it('returns 200 for the ETag of an earlier version', async () => {
    const path = `/workspaces/${workspace}`;
    const etag = (await team.viewer.api.get(path)).headers.get('etag') ?? '';
    await team.owner.api.patch(path, { description: 'Changed' });
    expect((await team.viewer.api.get(path, { 'if-none-match': etag })).status).toBe(200);
  });

  it('returns 400 for any query parameter', async () => {
    const response = await team.viewer.api.get(`/workspaces/${workspace}?page=1`);
    expectFailure(response, 'invalid_request', ['page unknown_parameter']);
  });

  it('returns 401 without a key', async () => {
    expectFailure(await app.api().get(`/workspaces/${workspace}`), 'unauthenticated');
  });

  it.each([NO_ID, '1', 'x', `${NO_ID}0`, '%00', '%F0%9F%98%80', "'%20OR%201=1--", '..%2Fme'])(
    'returns 404 for the id %s',
    async (id) => {
      expectFailure(await team.owner.api.get(`/workspaces/${id}`), 'not_found');
    },
  );
});
