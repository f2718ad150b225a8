import { expectFailure } from '../../support/failure';
import { dataOf, newTeam, newWorkspace, NO_ID, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { BAD_BODIES, BAD_TEXTS, GOOD_NAMES } from '../../support/text-cases';

let app: TestApp;
let team: Team;
let path: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  path = `/workspaces/${await newWorkspace(team.owner.api)}`;
});

afterAll(() => app.close());

describe('PATCH /workspaces/{workspaceId}', () => {
  it('changes the sent properties and no others', async () => {
    const before = dataOf(await team.admin.api.patch(path, { name: 'A', description: 'B' }), 200);
    const after = dataOf(await team.admin.api.patch(path, { description: 'C' }), 200);
    expect(after).toEqual({ ...before, description: 'C', updatedAt: expect.any(String) });
    expect(after.updatedAt >= before.updatedAt).toBe(true);
    const renamed = dataOf(await team.admin.api.patch(path, { name: ' D ' }), 200);
    expect(renamed).toMatchObject({ name: 'D', description: 'C' });
    expect((await team.viewer.api.get(path)).body.data).toEqual(renamed);
  });

  it('clears the description with an empty text', async () => {
    await team.owner.api.patch(path, { description: 'Something' });
    const { body } = await team.owner.api.patch(path, { description: '' });
    expect(body.data.description).toBe('');
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

  it('makes the previous name available', async () => {
    const { owner } = await newTeam(app);
    const id = dataOf(await owner.api.post('/workspaces', { name: 'Old' }), 201).id;
    await owner.api.patch(`/workspaces/${id}`, { name: 'New' });
    expect((await owner.api.post('/workspaces', { name: 'old' })).status).toBe(201);
    const taken = await owner.api.post('/workspaces', { name: 'new' });
    expectFailure(taken, 'conflict', ['name duplicate']);
  });

  it.each([...BAD_TEXTS])('returns 400 for %s', async (_, body, detail) => {
    expectFailure(await team.owner.api.patch(path, body), 'invalid_request', [detail]);
  });

  it.each(BAD_BODIES)('returns 400 for %s', async (_, body, detail) => {
    expectFailure(await team.owner.api.patch(path, body), 'invalid_request', [detail]);
  });

  it('returns 401 without a key', async () => {
    expectFailure(await app.api().patch(path, { name: 'X' }), 'unauthenticated');
  });

  it.each(['editor', 'viewer'] as const)('returns 403 for the role %s', async (role) => {
    expectFailure(await team[role].api.patch(path, { name: 'Denied' }), 'forbidden');
  });

  it.each([NO_ID, 'x'])('returns 404 for the id %s', async (id) => {
    expectFailure(await team.owner.api.patch(`/workspaces/${id}`, { name: 'X' }), 'not_found');
  });

  it('returns 409 for the name of another workspace', async () => {
    const { owner } = await newTeam(app);
    await owner.api.post('/workspaces', { name: 'Taken' });
    const other = dataOf(await owner.api.post('/workspaces', { name: 'Mine' }), 201);
    const response = await owner.api.patch(`/workspaces/${other.id}`, { name: 'tAKEN' });
    expectFailure(response, 'conflict', ['name duplicate']);
    expect((await owner.api.get(`/workspaces/${other.id}`)).body.data).toEqual(other);
  });
});
