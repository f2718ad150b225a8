import { COLUMN_TYPE_NAMES } from '../../../src/datagrids/column-type/column-type';
import { expectFailure } from '../../support/failure';
import { newTeam, newWorkspace, NO_ID, RFC3339, UUID_V7, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { BAD_BODIES, BAD_TEXTS, GOOD_NAMES, SAME_NAMES } from '../../support/text-cases';

let app: TestApp;
let team: Team;
let workspace: string;
let path: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  workspace = await newWorkspace(team.owner.api);
  path = `/workspaces/${workspace}/datagrids`;
});

afterAll(() => app.close());

describe('POST /workspaces/{workspaceId}/datagrids', () => {
  describe('a valid request', () => {
    it('returns the created datagrid with its columns and their defaults', async () => {
      const columns = [
        { key: 'amount', type: 'decimal', title: ' Amount ', required: true, unique: true },
        { key: 'state', type: 'select', indexed: true, options: { choices: ['open', 'closed'] } },
        { key: 'constructor', type: 'json' },
      ];
      const { status, body, headers } = await team.admin.api.post(path, { name: ' G ', columns });
      const none = { required: false, unique: false, indexed: false, options: {} };
      expect(status).toBe(201);
      expect(body).toEqual({
        data: {
          id: expect.stringMatching(UUID_V7),
          workspaceId: workspace,
          name: 'G',
          description: '',
          history: false,
          columns: [
            { ...none, ...columns[0], title: 'Amount' },
            { ...none, ...columns[1], title: 'state' },
            { ...none, ...columns[2], title: 'constructor' },
          ],
          rowCount: 0,
          revision: 0,
          createdAt: expect.stringMatching(RFC3339),
          updatedAt: body.data.createdAt,
        },
      });
      expect(headers.get('cache-control')).toBe('no-store');
      expect((await team.viewer.api.get(`/datagrids/${body.data.id}`)).body).toEqual(body);
    });

    it.each(GOOD_NAMES)('accepts %s as a name', async (_, name, stored) => {
      const { status, body } = await team.owner.api.post(path, { name });
      expect({ status, name: body.data.name }).toEqual({ status: 201, name: stored });
    });

    it('allows the same name in another workspace', async () => {
      const other = `/workspaces/${await newWorkspace(team.owner.api)}/datagrids`;
      expect((await team.owner.api.post(path, { name: 'Shared' })).status).toBe(201);
      expect((await team.owner.api.post(other, { name: 'Shared' })).status).toBe(201);
    });
  });

  describe('an invalid request', () => {
    it.each(BAD_TEXTS)('returns 400 for %s', async (_, body, detail) => {
      expectFailure(await team.owner.api.post(path, body), 'invalid_request', [detail]);
    });

    it.each(BAD_BODIES)('returns 400 for %s', async (_, body, detail) => {
      expectFailure(await team.owner.api.post(path, body), 'invalid_request', [detail]);
    });

    it('returns 400 without a name', async () => {
      const response = await team.owner.api.post(path, { columns: [] });
      expectFailure(response, 'invalid_request', ['name wrong_type']);
    });
  });

  it('returns 401 without a key', async () => {
    expectFailure(await app.api().post(path, { name: 'X' }), 'unauthenticated');
  });

  it.each(['editor', 'viewer'] as const)('returns 403 to the role %s', async (role) => {
    expectFailure(await team[role].api.post(path, { name: 'Denied' }), 'forbidden');
  });

  it.each([NO_ID, 'x'])('returns 404 for the workspace %s', async (id) => {
    const body = {
      name: 'Lost',
      columns: COLUMN_TYPE_NAMES.slice(0, 3).map((key) => ({ key, type: key })),
    };
    expectFailure(await team.owner.api.post(`/workspaces/${id}/datagrids`, body), 'not_found');
  });

  describe('a conflicting request', () => {
    it.each(SAME_NAMES)(
      'returns 409 because %j and %j are the same name',
      async (first, second) => {
        const own = `/workspaces/${await newWorkspace(team.owner.api)}/datagrids`;
        expect((await team.owner.api.post(own, { name: first })).status).toBe(201);
        const response = await team.owner.api.post(own, { name: second });
        expectFailure(response, 'conflict', ['name duplicate']);
        expect((await team.owner.api.get(own)).body.meta.total).toBe(1);
      },
    );

    it('creates one of several datagrids that are sent concurrently with the same name', async () => {
      const own = `/workspaces/${await newWorkspace(team.owner.api)}/datagrids`;
      const names = ['Race', 'RACE', 'race', 'rACE'];
      const columns = [{ key: 'a', type: 'text' }];
      const responses = await Promise.all(
        names.map((name) => team.owner.api.post(own, { name, columns })),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    });
  });
});
