import { AccountService } from '../../../src/auth/account.service';
import { ScimTokenService } from '../../../src/auth/scim-token/scim-token.service';
import { ApiClient, FileBody, type Json } from '../../support/api-client';
import { ENTERPRISE, expectScimError, GROUP, ScimClient, USER } from '../../support/scim-client';
import { type Member, TestApp } from '../../support/test-app';

let app: TestApp;
let owner: Member;
let scim: ScimClient;

beforeAll(async () => {
  app = await TestApp.shared();
});

afterAll(() => app.close());

beforeEach(async () => {
  owner = await app.newAccount();
  scim = await ScimClient.of(app, owner);
});

describe('a list of users', () => {
  let ids: Record<string, string>;

  beforeEach(async () => {
    ids = { owner: owner.userId };
    for (const [name, more] of [
      ['ada', { externalId: 'A-1', title: 'Engineer', displayName: 'Ada Lovelace' }],
      ['bob', { externalId: 'a-1', active: false, name: { familyName: "O'Hara" } }],
      ['eve', { title: 'Pilot', [ENTERPRISE]: { department: 'Air' } }],
    ] as const)
      ids[name] = await scim.newUser(`${name}@example.com`, more);
  });

  const namesOf = async (filter: string): Promise<string[]> => {
    const { Resources, totalResults } = await scim.find('/Users', filter);
    expect(totalResults).toBe(Resources.length);
    const found = (Resources as { readonly id: string }[]).map(({ id }) => id);
    return Object.keys(ids).filter((name) => found.includes(ids[name] ?? ''));
  };

  it.each([
    ['userName eq "ADA@example.com"', ['ada']],
    ['userName sw "e"', ['eve']],
    ['userName co "@EXAMPLE.com" and not (userName ew "bob@example.com")', ['owner', 'ada', 'eve']],
    ['username ne "ada@example.com"', ['owner', 'bob', 'eve']],
    ['externalId eq "A-1"', ['ada']],
    ['externalId pr', ['ada', 'bob']],
    ['not (externalId pr)', ['owner', 'eve']],
    ['active eq false', ['bob']],
    ['active eq "True" and title pr', ['ada', 'eve']],
    ['title eq "engineer" or title eq "PILOT"', ['ada', 'eve']],
    ['not (title eq "Pilot")', ['owner', 'ada', 'bob']],
    ['(title sw "P" or displayName co "love") AND active EQ true', ['ada', 'eve']],
    [`name.familyName eq "o'hara"`, ['bob']],
    [`${ENTERPRISE}:department eq "air"`, ['eve']],
    [`${USER}:userName eq "bob@example.com"`, ['bob']],
    ['emails.value eq "ada@example.com"', ['ada']],
    ['emails.primary eq true', ['owner', 'ada', 'bob', 'eve']],
    ['meta.created gt "2020-01-01T00:00:00Z"', ['owner', 'ada', 'bob', 'eve']],
    ['meta.lastModified lt "2020-01-01T00:00:00Z"', []],
    ['meta.resourceType eq "User"', ['owner', 'ada', 'bob', 'eve']],
    ['id eq "nonsense"', []],
  ])('has those that %s', async (filter, expected) => {
    expect(await namesOf(filter)).toEqual(expected);
  });

  it('finds by ID and by address', async () => {
    expect(await namesOf(`id eq "${ids['ada'] ?? ''}"`)).toEqual(['ada']);
    expect(
      await namesOf(`emails[type eq "work" and value eq "${owner.email.toUpperCase()}"]`),
    ).toEqual(['owner']);
    await scim.patch(`/Users/${ids['eve'] ?? ''}`, [
      ['add', 'emails', [{ value: 'e@x.example', type: 'home' }]],
    ]);
    expect(await namesOf('emails.value ew "x.example"')).toEqual(['eve']);
    expect(await namesOf('emails[type eq "work" and value ew "x.example"]')).toEqual([]);
  });

  it.each([
    'userName',
    'userName eq',
    'userName eq ada',
    'userName eq "a',
    'userName xx "a"',
    'nonsense eq "a"',
    'name eq "a"',
    'active gt true',
    'active eq "perhaps"',
    'userName eq 5',
    'meta.created co "2020"',
    'meta.created gt "yesterday"',
    'userName gt null',
    'userName eq "a" and',
    '(userName eq "a"',
    'userName eq "a" title eq "b"',
    'userName eq "\\u0000"',
    `userName eq "${'x'.repeat(2_001)}"`,
    `${'('.repeat(20)}userName eq "a"${')'.repeat(20)}`,
    Array.from({ length: 51 }, () => 'title pr').join(' or '),
  ])('rejects the filter %j', async (filter) => {
    const query = `filter=${encodeURIComponent(filter)}`;
    expectScimError(await scim.get(`/Users?${query}`), 400, 'invalidFilter');
  });

  it('has pages', async () => {
    const all = (await scim.get('/Users')).body;
    expect(all).toMatchObject({ totalResults: 4, startIndex: 1, itemsPerPage: 4 });
    expect(all.schemas).toEqual(['urn:ietf:params:scim:api:messages:2.0:ListResponse']);
    const page = (await scim.get('/Users?startIndex=2&count=2&sortBy=title')).body;
    expect(page).toMatchObject({ totalResults: 4, startIndex: 2, itemsPerPage: 2 });
    expect(page.Resources).toEqual((all.Resources as Json[]).slice(1, 3));
    expect((await scim.get('/Users?startIndex=5')).body).toMatchObject({
      totalResults: 4,
      itemsPerPage: 0,
      Resources: [],
    });
    expect((await scim.get('/Users?startIndex=0&count=-1')).body).toMatchObject({
      startIndex: 1,
      itemsPerPage: 0,
    });
    expect((await scim.get('/Users?count=100000')).body).toMatchObject({ itemsPerPage: 4 });
    expectScimError(await scim.get('/Users?count=many'), 400, 'invalidValue');
    expectScimError(await scim.get('/Users?count=1&count=2'), 400, 'invalidValue');
    expectScimError(await scim.get('/Users?filter=%ff'), 400, 'invalidValue');
  });
});

describe('a list of groups', () => {
  it('has those that a filter selects, with or without members', async () => {
    const user = await scim.newUser('a@example.com');
    const pilots = await scim.newGroup('Pilots', [user]);
    await scim.newGroup('Crew');
    const found = await scim.find(
      '/Groups',
      'displayName eq "PILOTS"',
      '&excludedAttributes=members',
    );
    expect(found).toMatchObject({
      totalResults: 1,
      Resources: [{ id: pilots, displayName: 'Pilots' }],
    });
    expect(found.Resources[0]).not.toHaveProperty('members');
    for (const filter of [
      `members eq "${user}"`,
      `members.value eq "${user}"`,
      `members[value eq "${user}"]`,
      'not (displayName sw "c")',
      `id eq "${pilots}"`,
    ])
      expect(await scim.find('/Groups', filter)).toMatchObject({
        totalResults: 1,
        Resources: [{ id: pilots, members: [{ value: user }] }],
      });
    expect((await scim.get('/Groups?startIndex=2&count=1')).body).toMatchObject({
      ...{ totalResults: 2, itemsPerPage: 1, Resources: [{ displayName: 'Crew' }] },
    });
    expectScimError(await scim.get('/Groups?filter=members%20co%20%22a%22'), 400, 'invalidFilter');
  });
});

describe('the description', () => {
  it('says what is supported', async () => {
    const config = (await scim.get('/ServiceProviderConfig')).body;
    expect(config).toMatchObject({
      ...{ patch: { supported: true }, etag: { supported: true }, sort: { supported: false } },
      ...{ bulk: { supported: false }, filter: { supported: true, maxResults: 200 } },
    });
    expect(config).not.toHaveProperty('documentationUri');
    const types = (await scim.get('/ResourceTypes')).body;
    expect(types).toMatchObject({ totalResults: 2, Resources: [{ id: 'User' }, { id: 'Group' }] });
    expect((await scim.get('/ResourceTypes/User')).body).toEqual(types.Resources[0]);
    const schemas = (await scim.get('/Schemas')).body;
    expect(schemas.Resources).toMatchObject([{ id: USER }, { id: GROUP }, { id: ENTERPRISE }]);
    expect((await scim.get(`/Schemas/${USER}`)).body).toEqual(schemas.Resources[0]);
    expectScimError(await scim.get('/Schemas/nonsense'), 404);
    expectScimError(await scim.get('/ResourceTypes/Nonsense'), 404);
  });
});

describe('a token', () => {
  it('opens nothing but SCIM, which no key opens', async () => {
    const tokens = app.nest.get(ScimTokenService);
    const { token } = await tokens.create(owner.accountId, 'Other', null, 'operator');
    expect(token).toMatch(/^ms_[\w-]{43}$/);
    expect((await app.api(token).get('/me')).status).toBe(401);
    expect((await new ApiClient(app.origin, token, '').get('/console/api/session')).status).toBe(
      401,
    );
    expect((await new ApiClient(app.origin, token, '').post('/mcp', {})).status).toBe(401);
    const key = (owner.api as unknown as { key: string }).key;
    expectScimError(await new ScimClient(app.origin, key).get('/Users'), 401);
  });

  it('is rejected once it is revoked, has expired, or is none', async () => {
    const tokens = app.nest.get(ScimTokenService);
    const { token, record } = await tokens.create(owner.accountId, 'Other', null, 'operator');
    const other = new ScimClient(app.origin, token);
    expect((await other.get('/Users')).status).toBe(200);
    await expect(
      tokens.revoke((await app.newAccount()).accountId, record.id, 'operator'),
    ).rejects.toMatchObject({ code: 'not_found' });
    await tokens.revoke(owner.accountId, record.id, 'operator');
    const rejected = await other.get('/Users');
    expectScimError(rejected, 401);
    expect(rejected.headers.get('www-authenticate')).toBe('Bearer');
    const expired = await tokens.create(
      owner.accountId,
      'Old',
      new Date(Date.now() - 1),
      'operator',
    );
    expectScimError(await new ScimClient(app.origin, expired.token).get('/Users'), 401);
    for (const wrong of [undefined, 'ms_x', `${token}x`])
      expectScimError(await new ScimClient(app.origin, wrong).get('/Users'), 401);
    const events = (await owner.api.get('/audit-events?limit=2')).body.data as Json[];
    expect(events).toMatchObject([
      { action: 'scim_token_created', target: { kind: 'scim_token', name: 'Old' } },
      { action: 'scim_token_revoked', target: { name: 'Other' } },
    ]);
  });

  it('is one of a few of its account', async () => {
    const tokens = app.nest.get(ScimTokenService);
    const create = (): Promise<unknown> =>
      tokens.create(owner.accountId, 'Other', null, 'operator');
    for (let n = 0; n < 4; n++) await create();
    await expect(create()).rejects.toMatchObject({ code: 'quota_exceeded' });
  });

  it('is rejected while its account is suspended', async () => {
    const accounts = app.nest.get(AccountService);
    await accounts.setSuspended(owner.accountId, true);
    expectScimError(await scim.get('/Users'), 403);
    await accounts.setSuspended(owner.accountId, false);
    expect((await scim.get('/Users')).status).toBe(200);
  });
});

describe('every failure', () => {
  it('has the form of SCIM', async () => {
    const { token } = await app.nest
      .get(ScimTokenService)
      .create(owner.accountId, 'Raw', null, 'operator');
    const raw = new ApiClient(app.origin, token, '');
    const send = (body: string, type = 'application/scim+json'): Promise<Json> =>
      raw.post('/scim/v2/Users', new FileBody(type, body));
    expectScimError(await send('{'), 400, 'invalidSyntax');
    expectScimError(await send('{"userName":1,"userName":2}'), 400, 'invalidSyntax');
    expectScimError(await send('[]'), 400, 'invalidValue');
    expectScimError(await send('{}', 'text/plain'), 415);
    expectScimError(await send(`"${'x'.repeat(5_000_000)}"`), 413);
    expectScimError(await raw.get('/scim/v2/Nonsense'), 404);
    expectScimError(await raw.get('/scim/v2'), 404);
    expectScimError(await raw.post('/scim/v2/Bulk', {}), 404);
    expectScimError(await raw.send('PATCH', '/scim/v2/Users', {}), 405);
    expectScimError(await raw.get('/scim/v2/Users/%E0%A4%A'), 404);
    expectScimError(await scim.patch('/Users/x', []), 400, 'invalidSyntax');
    const unread = await scim.delete(`/Users/${owner.userId}`, { 'If-Match': 'x' });
    expectScimError(unread, 400, 'invalidValue');
    expect((await raw.get('/scim/v20')).headers.get('content-type')).toBe(
      'application/json; charset=utf-8',
    );
  });
});
