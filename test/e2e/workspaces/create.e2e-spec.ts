import { expectFailure } from '../../support/failure';
import { newTeam, RFC3339, UUID_V7, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { BAD_BODIES, BAD_TEXTS, GOOD_NAMES, SAME_NAMES } from '../../support/text-cases';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.start();
  team = await newTeam(app);
});

afterAll(() => app.close());

describe('POST /workspaces', () => {
  describe('201', () => {
    it('gives the created workspace', async () => {
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

    it('has an empty description where none is given', async () => {
      const { body } = await team.admin.api.post('/workspaces', { name: 'Bare' });
      expect(body.data.description).toBe('');
    });

    it.each(GOOD_NAMES)('takes %s for a name', async (_, name, kept) => {
      const { status, body } = await team.owner.api.post('/workspaces', { name });
      expect({ status, name: body.data.name }).toEqual({ status: 201, name: kept });
    });

    it.each([
      ['2,000 letters', 'd'.repeat(2_000)],
      ['2,000 emoji', '🧭'.repeat(2_000)],
      ['nothing', ''],
    ])('takes %s for a description', async (what, description) => {
      const { status, body } = await team.owner.api.post('/workspaces', {
        name: what,
        description,
      });
      expect({ status, description: body.data.description }).toEqual({ status: 201, description });
    });

    it('lets another account have the same name', async () => {
      const other = await newTeam(app);
      expect((await team.owner.api.post('/workspaces', { name: 'Shared' })).status).toBe(201);
      expect((await other.owner.api.post('/workspaces', { name: 'Shared' })).status).toBe(201);
    });
  });

  describe('400', () => {
    it.each(BAD_TEXTS)('refuses %s', async (_, body, detail) => {
      const answer = await team.owner.api.post('/workspaces', body);
      expectFailure(answer, 'invalid_request', [detail]);
    });

    it.each(BAD_BODIES)('refuses %s', async (_, body, detail) => {
      const answer = await team.owner.api.post('/workspaces', body);
      expectFailure(answer, 'invalid_request', [detail]);
    });

    it('wants a name', async () => {
      const answer = await team.owner.api.post('/workspaces', { description: 'Nameless' });
      expectFailure(answer, 'invalid_request', ['name wrong_type']);
    });

    it('names every problem at once', async () => {
      const answer = await team.owner.api.post('/workspaces', { name: '', description: 1, x: 1 });
      const fields = (answer.body.error.details as { field: string }[]).map(({ field }) => field);
      expect(answer.status).toBe(400);
      expect(fields.sort()).toEqual(['description', 'name', 'x']);
    });

    it('takes no parameters', async () => {
      const answer = await team.owner.api.post('/workspaces?dryRun=true', { name: 'Dry' });
      expectFailure(answer, 'invalid_request', ['dryRun unknown_parameter']);
    });
  });

  it('401: wants a key', async () => {
    expectFailure(await app.api().post('/workspaces', { name: 'X' }), 'unauthenticated');
  });

  it.each(['editor', 'viewer'] as const)('403: is not for %s', async (role) => {
    expectFailure(await team[role].api.post('/workspaces', { name: 'Denied' }), 'forbidden');
  });

  describe('409', () => {
    it.each(SAME_NAMES)('takes %j and %j for one name', async (first, second) => {
      const { owner } = await newTeam(app);
      expect((await owner.api.post('/workspaces', { name: first })).status).toBe(201);
      const answer = await owner.api.post('/workspaces', { name: second });
      expectFailure(answer, 'conflict', ['name duplicate']);
      expect((await owner.api.get('/workspaces')).body.meta.total).toBe(1);
    });

    it('lets one of several concurrent calls have the name', async () => {
      const { owner } = await newTeam(app);
      const names = ['Race', 'RACE', 'race', 'rACE', 'Race '];
      const answers = await Promise.all(
        names.map((name) => owner.api.post('/workspaces', { name })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    });
  });

  it('415: wants JSON', async () => {
    const plain = { 'content-type': 'text/plain' };
    const answer = await team.owner.api.post('/workspaces', '{"name":"Plain"}', plain);
    expectFailure(answer, 'unsupported_media_type');
  });

  it('returns 400 for more members than a body may have here', async () => {
    const members = Array.from({ length: 50_000 }, (_, n) => [`k${String(n)}`, 1]);
    const answer = await team.owner.api.post('/workspaces', Object.fromEntries(members));
    expectFailure(answer, 'invalid_request', ['body out_of_range']);
  }, 10_000);

  it('returns 413 for more members than one object may have', async () => {
    const members = Array.from({ length: 100_001 }, (_, n) => [`k${String(n)}`, 1]);
    const answer = await team.owner.api.post('/workspaces', Object.fromEntries(members));
    expectFailure(answer, 'payload_too_large', ['body too_many']);
  }, 10_000);
});
