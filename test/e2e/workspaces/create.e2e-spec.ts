import { expectFailure } from '../../support/failure';
import { newTeam, RFC3339, UUID_V7, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { BAD_BODIES, BAD_TEXTS, GOOD_NAMES, SAME_NAMES } from '../../support/text-cases';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

afterAll(() => app.close());

describe('POST /workspaces', () => {
  it('returns the created workspace', async () => {
    const sent = { name: 'Logistics', description: ' All that flies ' };
    const { status, body, headers } = await team.owner.api.post('/workspaces', sent);
    expect(status).toBe(201);
    expect(body).toEqual({
      data: {
        id: expect.stringMatching(UUID_V7),
        ...sent,
        createdAt: expect.stringMatching(RFC3339),
        updatedAt: body.data.createdAt,
      },
    });
    expect(headers.get('cache-control')).toBe('no-store');
    const read = await team.viewer.api.get(`/workspaces/${body.data.id}`);
    expect(read.body).toEqual(body);
  });

  it('sets an empty description if none is sent', async () => {
    const { body } = await team.admin.api.post('/workspaces', { name: 'Bare' });
    expect(body.data.description).toBe('');
  });

  it.each(GOOD_NAMES)('accepts %s as a name', async (_, name, stored) => {
    const { status, body } = await team.owner.api.post('/workspaces', { name });
    expect({ status, name: body.data.name }).toEqual({ status: 201, name: stored });
  });

  it.each([
    ['2,000 letters', 'd'.repeat(2_000)],
    ['2,000 emoji', '🧭'.repeat(2_000)],
    ['nothing', ''],
  ])('accepts %s as a description', async (what, description) => {
    const { status, body } = await team.owner.api.post('/workspaces', {
      name: what,
      description,
    });
    expect({ status, description: body.data.description }).toEqual({ status: 201, description });
  });

  it('accepts a name that another account uses', async () => {
    const other = await newTeam(app);
    expect((await team.owner.api.post('/workspaces', { name: 'Shared' })).status).toBe(201);
    expect((await other.owner.api.post('/workspaces', { name: 'Shared' })).status).toBe(201);
  });

  it.each(BAD_TEXTS)('returns 400 for %s', async (_, body, detail) => {
    const response = await team.owner.api.post('/workspaces', body);
    expectFailure(response, 'invalid_request', [detail]);
  });

  it.each(BAD_BODIES)('returns 400 for %s', async (_, body, detail) => {
    const response = await team.owner.api.post('/workspaces', body);
    expectFailure(response, 'invalid_request', [detail]);
  });

  it('returns 400 without a name', async () => {
    const response = await team.owner.api.post('/workspaces', { description: 'Nameless' });
    expectFailure(response, 'invalid_request', ['name wrong_type']);
  });

  it('lists every problem in one response', async () => {
    const response = await team.owner.api.post('/workspaces', { name: '', description: 1, x: 1 });
    const fields = (response.body.error.details as { field: string }[]).map(({ field }) => field);
    expect(response.status).toBe(400);
    expect(fields.sort()).toEqual(['description', 'name', 'x']);
  });

  it('returns 400 for any query parameter', async () => {
    const response = await team.owner.api.post('/workspaces?dryRun=true', { name: 'Dry' });
    expectFailure(response, 'invalid_request', ['dryRun unknown_parameter']);
  });

  it('returns 401 without a key', async () => {
    expectFailure(await app.api().post('/workspaces', { name: 'X' }), 'unauthenticated');
  });

  it.each(['editor', 'viewer'] as const)('returns 403 for the role %s', async (role) => {
    expectFailure(await team[role].api.post('/workspaces', { name: 'Denied' }), 'forbidden');
  });

  it.each(SAME_NAMES)('returns 409 because %j and %j are the same name', async (first, second) => {
    const { owner } = await newTeam(app);
    expect((await owner.api.post('/workspaces', { name: first })).status).toBe(201);
    const response = await owner.api.post('/workspaces', { name: second });
    expectFailure(response, 'conflict', ['name duplicate']);
    expect((await owner.api.get('/workspaces')).body.meta.total).toBe(1);
  });

  it('returns 201 for one of several concurrent calls with the same name and 409 for the others', async () => {
    const { owner } = await newTeam(app);
    const names = ['Race', 'RACE', 'race', 'rACE', 'Race '];
    const responses = await Promise.all(
      names.map((name) => owner.api.post('/workspaces', { name })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  });

  it('returns 415 for a body that is not JSON', async () => {
    const plain = { 'content-type': 'text/plain' };
    const response = await team.owner.api.post('/workspaces', '{"name":"Plain"}', plain);
    expectFailure(response, 'unsupported_media_type');
  });

  it('returns 400 for a body with too many properties for this route', async () => {
    const members = Array.from({ length: 50_000 }, (_, n) => [`k${String(n)}`, 1]);
    const response = await team.owner.api.post('/workspaces', Object.fromEntries(members));
    expectFailure(response, 'invalid_request', ['body out_of_range']);
  }, 10_000);

  it('returns 413 for an object with more properties than any may have', async () => {
    const members = Array.from({ length: 100_001 }, (_, n) => [`k${String(n)}`, 1]);
    const response = await team.owner.api.post('/workspaces', Object.fromEntries(members));
    expectFailure(response, 'payload_too_large', ['body too_many']);
  }, 10_000);
});
