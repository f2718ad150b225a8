import type { ApiResponse, Json } from '../../support/api-client';
import { ConsoleClient } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import { dataOf, NO_ID } from '../../support/fixture';
import { OpenidProvider, type Person, signInBy } from '../../support/openid-provider';
import { type Member, TestApp } from '../../support/test-app';

const PASSWORD = 'a password of the tests';

let app: TestApp;
let origin: string;
let provider: OpenidProvider;
let owner: Member;
let console_: ConsoleClient;

beforeAll(async () => {
  app = await TestApp.shared();
  origin = app.origin.replace('127.0.0.1', 'localhost');
});

afterAll(() => app.close());

beforeEach(async () => {
  provider = await OpenidProvider.start();
  owner = await app.newAccount();
  await app.setPassword(owner, PASSWORD);
  console_ = new ConsoleClient(origin, (await app.console(owner)).token);
});

afterEach(() => provider.close());

const create = (more: object): Promise<ApiResponse> =>
  console_.post('/providers', {
    ...{ name: 'Company', ...provider.settings, currentPassword: PASSWORD },
    ...more,
  });

async function newProvider(groupRoles: object[], more: object = {}): Promise<string> {
  return String(dataOf(await create({ groupRoles, ...more }), 201)['id']);
}

const person = (sub: string, groups?: unknown, email = `${sub}@example.com`): Person => ({
  ...{ sub, email, email_verified: true },
  ...(groups !== undefined && { groups }),
});

const signIn = (id: string, who: Person): Promise<ApiResponse> =>
  signInBy(provider, origin, id, who);

const ROLES = [
  { group: 'readers', role: 'viewer' },
  { group: 'writers', role: 'editor' },
  { group: 'chiefs', role: 'admin' },
];

describe('groups of a provider', () => {
  it('give the highest of their roles at each sign-in, and keep it if they give none', async () => {
    const id = await newProvider(ROLES);
    const member = await app.newUser(owner.accountId, 'viewer');
    for (const [groups, role] of [
      [['writers', 'readers', 'others'], 'editor'],
      [['readers', 'chiefs', 'writers'], 'admin'],
      ['readers', 'viewer'],
      [['others', 5, null], 'viewer'],
      [undefined, 'viewer'],
      [{ chiefs: true }, 'viewer'],
    ]) {
      const session = dataOf(await signIn(id, person('p1', groups, member.email)), 200);
      expect(session).toMatchObject({ user: { id: member.userId, role } });
    }
    const events = (await console_.get('/data/audit-events?limit=50')).body.data as Json[];
    const [last] = events.filter(({ action }) => action === 'user_role_changed');
    expect(last).toMatchObject({
      by: { via: 'service' },
      details: { from: 'admin', to: 'viewer' },
    });
  });

  it('never change an owner, and give nobody this role', async () => {
    const id = await newProvider(ROLES);
    const session = dataOf(await signIn(id, person('p1', ['readers'], owner.email)), 200);
    expect(session).toMatchObject({ user: { id: owner.userId, role: 'owner' } });
    const detail = ['groupRoles invalid_format'];
    const groupRoles = [{ group: 'chiefs', role: 'owner' }];
    expectFailure(await create({ groupRoles }), 'invalid_request', detail);
  });

  it('let people in who are no users yet, and others only by the role of new users', async () => {
    const closed = await newProvider(ROLES);
    expect(dataOf(await signIn(closed, person('p1', ['writers'])), 200)).toMatchObject({
      user: { email: 'p1@example.com', role: 'editor' },
    });
    expectFailure(await signIn(closed, person('p2', ['others'])), 'forbidden');
    expectFailure(await signIn(closed, person('p2')), 'forbidden');
    const unverified = { ...person('p3', ['chiefs']), email_verified: false };
    expectFailure(await signIn(closed, unverified), 'forbidden');
    const open = await newProvider(ROLES, {
      newUserRole: 'member',
      newUserDomains: ['example.com'],
    });
    expect(dataOf(await signIn(open, person('p4', ['others'])), 200)).toMatchObject({
      user: { role: 'member' },
    });
    expect(dataOf(await signIn(open, person('p5', ['chiefs'])), 200)).toMatchObject({
      user: { role: 'admin' },
    });
  });

  it('give roles in workspaces, beside those that the user has', async () => {
    const [one, two] = await Promise.all(
      ['one', 'two'].map(async (name) =>
        String(dataOf(await owner.api.post('/workspaces', { name }), 201)['id']),
      ),
    );
    const id = await newProvider([
      { group: 'readers', workspaceId: one?.toUpperCase(), role: 'viewer' },
      { group: 'writers', workspaceId: one, role: 'editor' },
    ]);
    const first = dataOf(await signIn(id, person('p1', ['readers', 'writers'])), 200);
    expect(first['user']).toMatchObject({
      role: 'member',
      workspaceRoles: { [`${one}`]: 'editor' },
    });
    const workspaceRoles = [
      { workspaceId: one, role: 'editor' },
      { workspaceId: two, role: 'admin' },
    ];
    await console_.patch(`/users/${String(first['user'].id)}`, { workspaceRoles });
    const second = dataOf(await signIn(id, person('p1', ['readers'])), 200);
    expect(second['user'].workspaceRoles).toEqual({ [`${one}`]: 'viewer', [`${two}`]: 'admin' });
    const third = dataOf(await signIn(id, person('p1', [])), 200);
    expect(third['user'].workspaceRoles).toEqual({ [`${one}`]: 'viewer', [`${two}`]: 'admin' });
    await owner.api.delete(`/workspaces/${one ?? ''}`);
    expect((await signIn(id, person('p2', ['readers']))).status).toBe(200);
  });

  it('are read from another claim of the ID token', async () => {
    const id = await newProvider(ROLES, { groupsClaim: 'https://example.com/teams' });
    provider.hostility = {
      claims: (claims) => ({ ...claims, 'https://example.com/teams': 'chiefs' }),
    };
    const session = dataOf(await signIn(id, person('p1', ['readers'])), 200);
    expect(session).toMatchObject({ user: { role: 'admin' } });
  });

  it('are settings that owners see and change', async () => {
    const id = await newProvider(ROLES);
    const own = (await console_.get('/providers')).body.data;
    expect(own).toMatchObject([{ groupsClaim: 'groups', groupRoles: ROLES }]);
    const change = { groupsClaim: 'teams', groupRoles: [], currentPassword: PASSWORD };
    expect(dataOf(await console_.patch(`/providers/${id}`, change), 200)).toMatchObject({
      ...{ groupsClaim: 'teams', groupRoles: [] },
    });
    expectFailure(await signIn(id, person('p1', ['chiefs'])), 'forbidden');
  });

  it.each([
    [5, 'invalid_format'],
    [[5], 'invalid_format'],
    [[{ group: '', role: 'viewer' }], 'invalid_format'],
    [[{ group: 'x', role: 'king' }], 'invalid_format'],
    [[{ group: 'x', role: 'viewer', more: 1 }], 'invalid_format'],
    [[{ group: 'x', role: 'member', workspaceId: NO_ID }], 'invalid_format'],
    [[{ group: 'x', role: 'viewer', workspaceId: 'x' }], 'invalid_format'],
    [[{ group: 'x', role: 'viewer', workspaceId: NO_ID }], 'not_a_choice'],
    [Array.from({ length: 101 }, () => ROLES[0]), 'invalid_format'],
  ])('are rejected if the list is %j', async (groupRoles, code) => {
    expectFailure(await create({ groupRoles }), 'invalid_request', [`groupRoles ${code}`]);
  });

  it('are asked for only if they give roles, and if the provider has a scope for them', async () => {
    provider.hostility = {
      metadata: (metadata) => ({ ...metadata, scopes_supported: ['openid', 'groups'] }),
    };
    const scopeOf = async (id: string): Promise<string | null> => {
      const begun = await new ConsoleClient(origin).post(`/providers/${id}/sign-in`);
      return new URL(String(dataOf(begun, 200)['url'])).searchParams.get('scope');
    };
    expect(await scopeOf(await newProvider(ROLES))).toBe('openid email profile groups');
    expect(await scopeOf(await newProvider([]))).toBe('openid email profile');
  });
});

describe('the search for a provider', () => {
  const search = (email: string): Promise<ApiResponse> =>
    new ConsoleClient(origin).post('/providers/search', { email });

  it('finds those with the domain of an address, whoever has it', async () => {
    const domain = `${owner.accountId}.example`;
    const id = await newProvider([], { newUserDomains: [domain.toUpperCase()] });
    await newProvider([], { name: 'Another', newUserDomains: ['another.example'] });
    const { host } = new URL(provider.issuer);
    for (const name of ['nobody', 'SOMEBODY']) {
      const { body, status } = await search(`${name}@${domain}`);
      expect([status, body.data]).toEqual([200, [{ id, name: 'Company', host }]]);
    }
    expect((await search(`x@another.${owner.accountId}.example`)).body.data).toEqual([]);
    expect((await search(`x@sub.${domain}`)).body.data).toEqual([]);
  });

  it('shows two providers of each account at most, so that none hides the others', async () => {
    const domain = `${owner.accountId}.example`;
    for (let each = 0; each < 3; each += 1) await newProvider([], { newUserDomains: [domain] });
    const other = await app.newAccount();
    await app.setPassword(other, PASSWORD);
    const theirs = new ConsoleClient(origin, (await app.console(other)).token);
    const settings = { name: 'Other', newUserDomains: [domain], ...provider.settings };
    const created = await theirs.post('/providers', { ...settings, currentPassword: PASSWORD });
    expect(created.status).toBe(201);
    const names = ((await search(`x@${domain}`)).body.data as Json[]).map(({ name }) => name);
    expect(names.sort()).toEqual(['Company', 'Company', 'Other']);
  });

  it('needs an email address', async () => {
    for (const email of ['', 'x', '@example.com'])
      expectFailure(await search(email), 'invalid_request', ['email invalid_format']);
  });
});
