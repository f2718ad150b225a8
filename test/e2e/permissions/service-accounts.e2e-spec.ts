import type { ConsoleClient } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, UUID_V7, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let owner: ConsoleClient;

beforeAll(async () => {
  app = await TestApp.start({ settings: { PUBLIC_URL: 'https://data.example.com' } });
  team = await newTeam(app);
  owner = await app.console(team.owner);
});

afterAll(() => app.close());

let serial = 0;

async function newServiceAccount(role = 'editor'): Promise<string> {
  const name = `nightly-${String((serial += 1))}`;
  return dataOf(await owner.post('/service-accounts', { name, role }), 201).id;
}

describe('a service account', () => {
  it('is a user whose keys work, without a person', async () => {
    const body = { name: 'billing-sync', role: 'editor' };
    const account = dataOf(await owner.post('/service-accounts', body), 201);
    expect(account).toMatchObject({
      id: expect.stringMatching(UUID_V7),
      email: 'billing-sync@service-account.invalid',
      role: 'editor',
      isService: true,
      hasPassword: false,
    });
    const { key, id } = dataOf(
      await owner.post(`/service-accounts/${account.id}/keys`, { name: 'Nightly' }),
      201,
    );
    const api = app.api(key);
    expect(dataOf(await api.get('/me'), 200)).toMatchObject({
      user: { id: account.id, email: 'billing-sync@service-account.invalid' },
      role: 'editor',
    });
    const grid = await newDatagrid(team.owner.api, []);
    dataOf(await api.post(`${grid}/rows`, { values: {} }), 201);
    const keys = await owner.get(`/service-accounts/${account.id}/keys`);
    expect(keys.body.data).toEqual([expect.objectContaining({ id, name: 'Nightly' })]);
  });

  it('keeps its keys when the owner who created it is suspended', async () => {
    const second = await app.newUser(team.owner.accountId, 'owner');
    const session = await app.console(second);
    const id = dataOf(
      await session.post('/service-accounts', { name: 'outlives', role: 'viewer' }),
      201,
    ).id;
    const { key } = dataOf(await session.post(`/service-accounts/${id}/keys`, { name: 'x' }), 201);
    dataOf(await owner.patch(`/users/${second.userId}`, { suspended: true }), 200);
    expect((await app.api(key).get('/workspaces')).status).toBe(200);
  });

  it('has keys that owners rotate and revoke', async () => {
    const id = await newServiceAccount();
    const path = `/service-accounts/${id}/keys`;
    const first = dataOf(await owner.post(path, { name: 'x', scopes: ['rows:read'] }), 201);
    const rotated = dataOf(
      await owner.post(`${path}/${first.id}/rotation`, { keepForSeconds: 0 }),
      201,
    );
    expect(rotated.scopes).toEqual(['rows:read']);
    expectFailure(await app.api(first.key).get('/me'), 'unauthenticated');
    expect((await app.api(rotated.key).get('/me')).status).toBe(200);
    expect((await owner.delete(`${path}/${rotated.id}`)).status).toBe(204);
    expectFailure(await app.api(rotated.key).get('/me'), 'unauthenticated');
  });

  it('cannot be an owner, and cannot be invited', async () => {
    const body = { name: 'too-powerful', role: 'owner' };
    const created = await owner.post('/service-accounts', body);
    expectFailure(created, 'invalid_request', ['role not_a_choice']);
    const id = await newServiceAccount();
    expectFailure(await owner.patch(`/users/${id}`, { role: 'owner' }), 'conflict');
    expectFailure(await owner.post(`/users/${id}/invite`), 'conflict');
  });

  it.each(['', 'Billing', 'a b', '-a', 'a-', 'a'.repeat(64), 1])(
    'cannot have the name %j',
    async (name) => {
      const response = await owner.post('/service-accounts', { name, role: 'viewer' });
      expectFailure(response, 'invalid_request', ['name invalid_format']);
    },
  );

  it('cannot have the name of another one', async () => {
    const body = { name: 'taken', role: 'viewer' };
    dataOf(await owner.post('/service-accounts', body), 201);
    expectFailure(await owner.post('/service-accounts', body), 'conflict', ['email duplicate']);
  });
});

describe('a person', () => {
  it('cannot have an email address of a service account', async () => {
    const body = { email: 'bot@Service-Account.invalid', role: 'owner' };
    expectFailure(await owner.post('/users', body), 'invalid_request', ['email invalid_format']);
  });
});

describe('the keys of a person', () => {
  it('are not found by an owner', async () => {
    const path = `/service-accounts/${team.viewer.userId}/keys`;
    expectFailure(await owner.get(path), 'not_found');
    expectFailure(await owner.post(path, { name: 'x' }), 'not_found');
    expectFailure(await owner.delete(`${path}/${team.viewer.keyId}`), 'not_found');
    expect((await team.viewer.api.get('/me')).status).toBe(200);
  });
});
