import { ApiKeyService } from '../../src/auth/api-key/api-key.service';
import { UserService } from '../../src/auth/user/user.service';
import { AccountService } from '../../src/auth/account.service';
import { expectFailure } from '../support/failure';
import { newTeam, type Team } from '../support/fixture';
import { TestApp } from '../support/test-app';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.start({
    settings: { RATE_LIMIT_REQUESTS: '5000', RATE_LIMIT_WINDOW_SECONDS: '30' },
  });
  team = await newTeam(app);
});

afterAll(() => app.close());

const UNLIMITED = { scopes: null, workspaceIds: null, datagridIds: null };

describe('GET /me', () => {
  it.each(['owner', 'admin', 'editor', 'viewer'] as const)(
    'returns the key, user, account, role and limits of the role %s',
    async (role) => {
      const { api, keyId, userId, email, accountId } = team[role];
      const { status, body } = await api.get('/me');
      expect(status).toBe(200);
      expect(body).toEqual({
        data: {
          key: { id: keyId, name: 'test', expiresAt: null, ...UNLIMITED },
          user: { id: userId, email },
          account: { id: accountId, name: 'Test account' },
          role,
          workspaceRoles: [],
          limits: { requests: 5000, accountRequests: 50_000, windowSeconds: 30 },
        },
      });
    },
  );

  it('returns the expiry of the key', async () => {
    const expiresAt = new Date(Date.now() + 60_000);
    const keys = app.nest.get(ApiKeyService);
    const { id, key } = await keys.create(team.viewer.userId, 'Short', expiresAt, 'operator');
    const { body } = await app.api(key).get('/me');
    const expected = { id, name: 'Short', expiresAt: expiresAt.toISOString(), ...UNLIMITED };
    expect(body.data.key).toEqual(expected);
  });

  it('returns 400 for any query parameter', async () => {
    const response = await team.viewer.api.get('/me?verbose=1');
    expectFailure(response, 'invalid_request', ['verbose unknown_parameter']);
  });

  it('returns 401 without a key', async () => {
    expectFailure(await app.api().get('/me'), 'unauthenticated');
  });

  it('returns 403 for a suspended user only, until the suspension ends', async () => {
    const users = app.nest.get(UserService);
    await users.setSuspended(team.viewer.email, true);
    expectFailure(await team.viewer.api.get('/me'), 'account_suspended');
    expect((await team.editor.api.get('/me')).status).toBe(200);
    await users.setSuspended(team.viewer.email, false);
    expect((await team.viewer.api.get('/me')).status).toBe(200);
  });

  it('returns 403 for every user of a suspended account', async () => {
    const accounts = app.nest.get(AccountService);
    const other = await newTeam(app);
    await accounts.setSuspended(other.owner.accountId, true);
    expectFailure(await other.owner.api.get('/me'), 'account_suspended');
    expectFailure(await other.viewer.api.get('/me'), 'account_suspended');
    expect((await team.owner.api.get('/me')).status).toBe(200);
  });
});
