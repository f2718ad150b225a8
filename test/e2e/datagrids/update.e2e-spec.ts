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
  app = await TestApp.start();
  team = await newTeam(app);
  path = await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer' }]);
});

afterAll(() => app.close());

describe('PATCH /datagrids/{datagridId}', () => {
  describe('200', () => {
    it('changes what is sent and keeps the rest', async () => {
      const before = dataOf(await team.admin.api.patch(path, { name: 'A', description: 'B' }), 200);
      const after = dataOf(await team.admin.api.patch(path, { description: 'C' }), 200);
      expect(after).toEqual({ ...before, description: 'C', updatedAt: expect.any(String) });
      expect(after.updatedAt >= before.updatedAt).toBe(true);
      const renamed = dataOf(await team.admin.api.patch(path, { name: ' D ' }), 200);
      expect(renamed).toMatchObject({ name: 'D', description: 'C', columns: before.columns });
      expect((await team.viewer.api.get(path)).body.data).toEqual(renamed);
    });

    it('takes its own name in another case', async () => {
      await team.owner.api.patch(path, { name: 'Ärger' });
      const { status, body } = await team.owner.api.patch(path, { name: 'ÄRGER' });
      expect({ status, name: body.data.name }).toEqual({ status: 200, name: 'ÄRGER' });
    });

    it.each(GOOD_NAMES)('takes %s for a name', async (_, name, kept) => {
      const { status, body } = await team.owner.api.patch(path, { name });
      expect({ status, name: body.data.name }).toEqual({ status: 200, name: kept });
    });
  });

  describe('400', () => {
    it.each(BAD_TEXTS)('refuses %s', async (_, body, detail) => {
      expectFailure(await team.owner.api.patch(path, body), 'invalid_request', [detail]);
    });

    it.each(BAD_BODIES)('refuses %s', async (_, body, detail) => {
      expectFailure(await team.owner.api.patch(path, body), 'invalid_request', [detail]);
    });

    it.each(['columns', 'rowCount', 'revision', 'workspaceId'])(
      'does not take %s',
      async (member) => {
        const answer = await team.owner.api.patch(path, { [member]: [] });
        expectFailure(answer, 'invalid_request', [`${member} unknown_property`]);
      },
    );
  });

  it('401: wants a key', async () => {
    expectFailure(await app.api().patch(path, { name: 'X' }), 'unauthenticated');
  });

  it.each(['editor', 'viewer'] as const)('403: is not for %s', async (role) => {
    expectFailure(await team[role].api.patch(path, { name: 'Denied' }), 'forbidden');
  });

  it.each([NO_ID, 'x'])('404: finds nothing under %s', async (id) => {
    expectFailure(await team.owner.api.patch(`/datagrids/${id}`, { name: 'X' }), 'not_found');
  });

  it('409: does not take the name of another in the workspace', async () => {
    const workspace = await newWorkspace(team.owner.api);
    const first = await newDatagrid(team.owner.api, [], workspace);
    const second = await newDatagrid(team.owner.api, [], workspace);
    await team.owner.api.patch(first, { name: 'Taken' });
    const before = (await team.owner.api.get(second)).body;
    const answer = await team.owner.api.patch(second, { name: 'tAKEN', description: 'No' });
    expectFailure(answer, 'conflict', ['name duplicate']);
    expect((await team.owner.api.get(second)).body).toEqual(before);
  });
});
