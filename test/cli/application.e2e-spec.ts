import { NO_ID } from '../support/fixture';
import { OauthApplication } from '../support/oauth-application';
import { TestApp, type Member } from '../support/test-app';
import { adminError, adminJson } from './admin';

// Starting a program may take long.
jest.setTimeout(120_000);

let app: TestApp;
let settings: { DATABASE_URL: string };
let owner: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  settings = { DATABASE_URL: app.database.url };
  owner = await app.newAccount();
});

afterAll(() => app.close());

describe('application list and revoke', () => {
  it('print the applications of a user, and end the access of one', async () => {
    const application = await OauthApplication.registered(app.origin);
    const change = { resource: `${app.origin}/api/v1/public` };
    const { access } = await application.tokens(await app.console(owner), {}, change);
    const list = ['application', 'list', '--email', owner.email];
    const listed: { applications: { id: string }[] } = await adminJson(settings, ...list);
    expect(listed).toEqual({
      applications: [
        {
          id: expect.any(String),
          ...{ name: 'Assistant', clientId: application.clientId, documentHost: null },
          ...{ redirectUri: application.redirectUri, audience: 'api' },
          ...{ scopes: ['rows:read', 'rows:write'], workspaceIds: null, datagridIds: null },
          ...{ createdAt: expect.any(String), lastUsedAt: null, expiresAt: expect.any(String) },
        },
      ],
    });
    expect((await application.api(access).get('/me')).status).toBe(200);
    const id = listed.applications[0]?.id ?? '';
    const revoke = ['application', 'revoke', '--id', id];
    expect(await adminJson(settings, ...revoke)).toEqual({ id, state: 'revoked' });
    expect((await application.api(access).get('/me')).status).toBe(401);
    expect(await adminJson(settings, ...list)).toEqual({ applications: [] });
    expect(await adminError(settings, ...revoke)).toEqual({
      code: 'not_found',
      message: `Application ${id} not found.`,
    });
  });

  it('do not revoke what is an API key, or does not exist', async () => {
    for (const id of [owner.keyId, NO_ID]) {
      expect(await adminError(settings, 'application', 'revoke', '--id', id)).toMatchObject({
        code: 'not_found',
      });
    }
    expect((await owner.api.get('/me')).status).toBe(200);
  });
});
