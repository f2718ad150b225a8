import { UserService } from '../../../src/auth/user/user.service';
import type { ApiResponse } from '../../support/api-client';
import type { ConsoleClient } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import { dataOf, NO_ID } from '../../support/fixture';
import { ScimClient } from '../../support/scim-client';
import { type Member, TestApp } from '../../support/test-app';

const PASSWORD = 'a password of the tests';
const PROOF = { currentPassword: PASSWORD };

let app: TestApp;
let owner: Member;
let console_: ConsoleClient;

beforeAll(async () => {
  app = await TestApp.shared();
});

afterAll(() => app.close());

beforeEach(async () => {
  owner = await app.newAccount();
  await app.setPassword(owner, PASSWORD);
  console_ = await app.console(owner);
});

const create = (more: object = {}): Promise<ApiResponse> =>
  console_.post('/scim/tokens', { name: 'Entra ID', ...PROOF, ...more });

describe('a SCIM token', () => {
  it('is created with a proof, shown once, used and revoked', async () => {
    expect((await create({ currentPassword: 'wrong' })).body.error.details).toMatchObject([
      { code: 'wrong_password' },
    ]);
    const created = dataOf(await create(), 201);
    expect(created).toMatchObject({
      ...{ name: 'Entra ID', expiresAt: null, isExpired: false, lastUsedAt: null },
      ...{ token: expect.stringMatching(/^ms_[\w-]{43}$/), url: `${app.origin}/scim/v2` },
    });
    const scim = new ScimClient(app.origin, String(created.token));
    expect((await scim.get('/Users')).status).toBe(200);
    const [listed] = (await console_.get('/scim/tokens')).body.data;
    const { token: _token, url: _url, ...rest } = created;
    expect(listed).toEqual({ ...rest, lastUsedAt: listed.lastUsedAt });
    const path = `/scim/tokens/${String(created.id)}/revocation`;
    expect((await console_.post(path, { currentPassword: 'wrong' })).status).toBe(400);
    expect((await console_.post(path, PROOF)).status).toBe(204);
    expect((await scim.get('/Users')).status).toBe(401);
    expectFailure(await console_.post(path, PROOF), 'not_found');
    expect((await console_.get('/scim/tokens')).body.data).toEqual([]);
  });

  it('expires within a year, if it expires at all', async () => {
    const later = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
    for (const expiresAt of [later(-1), later(367), 'soon'])
      expect((await create({ expiresAt })).body.error.details).toMatchObject([
        { field: 'expiresAt' },
      ]);
    const expiresAt = later(365);
    expect(dataOf(await create({ expiresAt }), 201)).toMatchObject({ expiresAt });
  });

  it('is only for owners, and of their account', async () => {
    const admin = await app.newUser(owner.accountId, 'admin');
    const theirs = await app.console(admin);
    expectFailure(await theirs.get('/scim/tokens'), 'forbidden');
    expectFailure(await theirs.get('/scim/groups'), 'forbidden');
    const { id } = dataOf(await create(), 201);
    const stranger = await app.newAccount();
    await app.setPassword(stranger, PASSWORD);
    const other = await app.console(stranger);
    expectFailure(await other.post(`/scim/tokens/${String(id)}/revocation`, PROOF), 'not_found');
    expect((await other.get('/scim/tokens')).body.data).toEqual([]);
  });
});

describe('a group', () => {
  it('is mapped to roles, which its members get', async () => {
    const scim = await ScimClient.of(app, owner);
    const user = await scim.newUser('ada@example.com');
    const id = await scim.newGroup('Engineers', [user]);
    const none = { id, displayName: 'Engineers', memberCount: 1, role: null, workspaceRoles: [] };
    const page = (await console_.get('/scim/groups')).body;
    expect(page).toMatchObject({ data: [none], meta: { total: 1 } });
    const { id: workspaceId } = dataOf(await owner.api.post('/workspaces', { name: 'W' }), 201);
    const mapping = { role: 'editor', workspaceRoles: [{ workspaceId, role: 'admin' }] };
    const mapped = await console_.patch(`/scim/groups/${id}`, mapping);
    expect(dataOf(mapped, 200)).toEqual({ ...none, ...mapping });
    const users = app.nest.get(UserService);
    expect(await users.getIn(owner.accountId, user)).toMatchObject({ role: 'editor' });
    const events = (await owner.api.get('/audit-events?limit=3')).body.data;
    expect(events).toMatchObject([
      { action: 'user_workspace_roles_changed', by: { via: 'console', userId: owner.userId } },
      { action: 'user_role_changed', by: { via: 'console' } },
      { action: 'scim_group_mapped', target: { name: 'Engineers' }, details: { role: 'editor' } },
    ]);
    for (const wrong of [{ role: 'owner', workspaceRoles: [] }, { role: null }])
      expect((await console_.patch(`/scim/groups/${id}`, wrong)).status).toBe(400);
    expectFailure(await console_.patch(`/scim/groups/${NO_ID}`, mapping), 'not_found');
    const stranger = await app.console(await app.newAccount());
    expectFailure(await stranger.patch(`/scim/groups/${id}`, mapping), 'not_found');
  });
});
