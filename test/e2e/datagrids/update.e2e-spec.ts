import { expectFailure } from '../../support/failure';
import {
  dataOf,
  newDatagrid,
  newTeam,
  newWorkspace,
  NO_ID,
  type Team,
} from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { BAD_BODIES, BAD_TEXTS, GOOD_NAMES } from '../../support/text-cases';

let app: TestApp;
let team: Team;
let path: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  path = await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer' }]);
});

afterAll(() => app.close());

describe('PATCH /datagrids/{datagridId}', () => {
  describe('a valid request', () => {
    it('changes the attributes that are sent and no others', async () => {
      const before = dataOf(await team.admin.api.patch(path, { name: 'A', description: 'B' }), 200);
      const after = dataOf(await team.admin.api.patch(path, { description: 'C' }), 200);
      expect(after).toEqual({ ...before, description: 'C', updatedAt: expect.any(String) });
      expect(after.updatedAt >= before.updatedAt).toBe(true);
      const renamed = dataOf(await team.admin.api.patch(path, { name: ' D ' }), 200);
      expect(renamed).toMatchObject({ name: 'D', description: 'C', columns: before.columns });
      expect((await team.viewer.api.get(path)).body.data).toEqual(renamed);
    });

    it('accepts its own name in another case', async () => {
      await team.owner.api.patch(path, { name: 'Ärger' });
      const { status, body } = await team.owner.api.patch(path, { name: 'ÄRGER' });
      expect({ status, name: body.data.name }).toEqual({ status: 200, name: 'ÄRGER' });
    });

    it.each(GOOD_NAMES)('accepts %s as a name', async (_, name, stored) => {
      const { status, body } = await team.owner.api.patch(path, { name });
      expect({ status, name: body.data.name }).toEqual({ status: 200, name: stored });
    });
  });

  describe('an invalid request', () => {
    it.each(BAD_TEXTS)('returns 400 for %s', async (_, body, detail) => {
      expectFailure(await team.owner.api.patch(path, body), 'invalid_request', [detail]);
    });

    it.each(BAD_BODIES)('returns 400 for %s', async (_, body, detail) => {
      expectFailure(await team.owner.api.patch(path, body), 'invalid_request', [detail]);
    });

    it.each(['columns', 'rowCount', 'revision', 'workspaceId'])(
      'returns 400 for the read-only property %s',
      async (property) => {
        const response = await team.owner.api.patch(path, { [property]: [] });
        expectFailure(response, 'invalid_request', [`${property} unknown_property`]);
      },
    );
  });

  it('returns 401 without a key', async () => {
    expectFailure(await app.api().patch(path, { name: 'X' }), 'unauthenticated');
  });

  it.each(['editor', 'viewer'] as const)('returns 403 to the role %s', async (role) => {
    expectFailure(await team[role].api.patch(path, { name: 'Denied' }), 'forbidden');
  });

  it.each([NO_ID, 'x'])('returns 404 for the id %s', async (id) => {
    expectFailure(await team.owner.api.patch(`/datagrids/${id}`, { name: 'X' }), 'not_found');
  });

  it('returns 409 for the name of another datagrid in the workspace', async () => {
    const workspace = await newWorkspace(team.owner.api);
    const first = await newDatagrid(team.owner.api, [], workspace);
    const second = await newDatagrid(team.owner.api, [], workspace);
    await team.owner.api.patch(first, { name: 'Taken' });
    const before = (await team.owner.api.get(second)).body;
    const response = await team.owner.api.patch(second, { name: 'tAKEN', description: 'No' });
    expectFailure(response, 'conflict', ['name duplicate']);
    expect((await team.owner.api.get(second)).body).toEqual(before);
  });
});
