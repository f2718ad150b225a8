import { expectFailure } from '../../support/failure';
import { newTeam, newWorkspace, NO_ID, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let workspace: string;

beforeAll(async () => {
  app = await TestApp.start();
  team = await newTeam(app);
  workspace = await newWorkspace(team.owner.api);
});

afterAll(() => app.close());

describe('GET /workspaces/{workspaceId}', () => {
  describe('200', () => {
    it.each(['owner', 'admin', 'editor', 'viewer'] as const)('is for %s', async (role) => {
      const { status, body, headers } = await team[role].api.get(`/workspaces/${workspace}`);
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(['data']);
      const members = ['id', 'name', 'description', 'createdAt', 'updatedAt'];
      expect(Object.keys(body.data)).toEqual(members);
      expect(headers.get('cache-control')).toBe('private, no-cache');
      expect(headers.get('etag')).not.toBeNull();
    });

    it('takes the id in capitals too', async () => {
      const { body } = await team.viewer.api.get(`/workspaces/${workspace.toUpperCase()}`);
      expect(body.data.id).toBe(workspace);
    });
  });

  describe('304', () => {
    it('is for who has the answer already, however the ETag comes back', async () => {
      const path = `/workspaces/${workspace}`;
      const etag = (await team.viewer.api.get(path)).headers.get('etag') ?? '';
      for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const same = await team.viewer.api.get(path, { 'if-none-match': sent });
        expect([sent, same.status, same.text]).toEqual([sent, 304, '']);
        expect(same.headers.get('etag')).toBe(etag);
      }
    });

    it('ends with the next change', async () => {
      const path = `/workspaces/${workspace}`;
      const etag = (await team.viewer.api.get(path)).headers.get('etag') ?? '';
      await team.owner.api.patch(path, { description: 'Changed' });
      expect((await team.viewer.api.get(path, { 'if-none-match': etag })).status).toBe(200);
    });
  });

  it('400: takes no parameters', async () => {
    const answer = await team.viewer.api.get(`/workspaces/${workspace}?page=1`);
    expectFailure(answer, 'invalid_request', ['page unknown_parameter']);
  });

  it('401: wants a key', async () => {
    expectFailure(await app.api().get(`/workspaces/${workspace}`), 'unauthenticated');
  });

  it.each([NO_ID, '1', 'x', `${NO_ID}0`, '%00', '%F0%9F%98%80', "'%20OR%201=1--", '..%2Fme'])(
    '404: finds nothing under %s',
    async (id) => {
      expectFailure(await team.owner.api.get(`/workspaces/${id}`), 'not_found');
    },
  );
});
