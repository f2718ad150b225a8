import { UserService } from '../../../src/auth/user/user.service';
import type { Json } from '../../support/api-client';
import { NO_ID } from '../../support/fixture';
import { ENTERPRISE, expectScimError, ScimClient, USER } from '../../support/scim-client';
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

const ADA = {
  schemas: [USER, ENTERPRISE],
  userName: 'ada@example.com',
  externalId: 'A-1',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  displayName: 'Ada Lovelace',
  title: 'Engineer',
  emails: [
    { value: 'ada@example.com', type: 'work', primary: true },
    { value: 'ada@home.example', type: 'home' },
  ],
  [ENTERPRISE]: { department: 'Engines', manager: { value: 'M-1' } },
};

const lastActions = async (count: number): Promise<Json[]> =>
  (await owner.api.get(`/audit-events?limit=${String(count)}`)).body.data as Json[];

describe('a user', () => {
  it('is created with all that the directory says, and read back', async () => {
    const created = await scim.post('/Users', ADA);
    expect(created.status).toBe(201);
    const { id, meta } = created.body;
    expect(created.body).toMatchObject({ ...ADA, active: true });
    expect(meta).toMatchObject({
      resourceType: 'User',
      location: `${app.origin}/scim/v2/Users/${String(id)}`,
    });
    expect(created.headers.get('location')).toBe(meta.location);
    expect(created.headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
    const read = await scim.get(`/Users/${String(id)}`);
    expect(read.body).toEqual(created.body);
    expect(read.headers.get('etag')).toBe(meta.version);
    const user = await app.nest.get(UserService).getIn(owner.accountId, String(id));
    expect(user).toMatchObject({ email: 'ada@example.com', role: 'viewer', suspended: false });
    expect((await lastActions(1))[0]).toMatchObject({
      ...{ action: 'user_created', by: { via: 'scim', userId: null } },
      details: { role: 'viewer', scimToken: 'Directory' },
    });
  });

  it('has the primary address if the name is none', async () => {
    const emails = [{ value: 'second@example.com' }, { value: 'first@example.com', primary: true }];
    const id = await scim.newUser('jdoe', { emails });
    expect(await app.nest.get(UserService).getIn(owner.accountId, id)).toMatchObject({
      email: 'first@example.com',
    });
    expect((await scim.get(`/Users/${id}`)).body).toMatchObject({ userName: 'jdoe' });
    expectScimError(await scim.post('/Users', { userName: 'nobody' }), 400, 'invalidValue');
    expectScimError(await scim.post('/Users', {}), 400, 'invalidValue');
  });

  it('is unique by name and by address, ignoring case', async () => {
    await scim.newUser('ada@example.com');
    expectScimError(await scim.post('/Users', { userName: 'ADA@example.com' }), 409, 'uniqueness');
    const other = await scim.newUser('bob@example.com');
    const rename = await scim.put(`/Users/${other}`, { userName: 'Ada@example.com' });
    expectScimError(rename, 409, 'uniqueness');
  });

  it('who was invited by hand is listed, and taken over by name', async () => {
    const invited = await app.newUser(owner.accountId, 'editor');
    const found = await scim.find('/Users', `userName eq "${invited.email.toUpperCase()}"`);
    expect(found).toMatchObject({
      totalResults: 1,
      Resources: [{ id: invited.userId, active: true }],
    });
    const taken = await scim.post('/Users', { userName: invited.email, externalId: 'X' });
    expect(taken.body).toMatchObject({ id: invited.userId, externalId: 'X' });
    const user = await app.nest.get(UserService).getIn(owner.accountId, invited.userId);
    expect(user.role).toBe('editor');
    expectScimError(await scim.post('/Users', { userName: invited.email }), 409, 'uniqueness');
  });

  it('is renamed, and keeps what a replacement does not say about access', async () => {
    const id = await scim.newUser('ada@example.com', { title: 'Engineer' });
    const renamed = await scim.put(`/Users/${id}`, { userName: 'lovelace@example.com' });
    expect(renamed.body).toMatchObject({ userName: 'lovelace@example.com', active: true });
    expect(renamed.body).not.toHaveProperty('title');
    expect((await lastActions(1))[0]).toMatchObject({
      ...{ action: 'user_email_changed', by: { via: 'scim' } },
      details: { from: 'ada@example.com', to: 'lovelace@example.com', scimToken: 'Directory' },
    });
    await scim.patch(`/Users/${id}`, [['replace', 'active', false]]);
    const again = await scim.put(`/Users/${id}`, { userName: 'lovelace@example.com' });
    expect(again.body).toMatchObject({ active: false });
  });

  it('is suspended and resumed as by an owner', async () => {
    const member = await app.newUser(owner.accountId, 'editor');
    const path = `/Users/${member.userId}`;
    expect((await member.api.get('/me')).status).toBe(200);
    const off = await scim.patch(path, [['Replace', 'active', 'False']]);
    expect(off.body).toMatchObject({ active: false });
    expect((await member.api.get('/me')).body.error.code).toBe('account_suspended');
    expect((await lastActions(1))[0]).toMatchObject({
      action: 'user_suspended',
      by: { via: 'scim' },
    });
    const on = await scim.patch(path, [['replace', null, { active: true }]]);
    expect(on.body).toMatchObject({ active: true });
    expect((await member.api.get('/me')).status).toBe(200);
  });

  it('is gone once deleted, without a session, and the same one when created again', async () => {
    const member = await app.newUser(owner.accountId, 'editor');
    const page = await app.console(member);
    const path = `/Users/${member.userId}`;
    expect((await page.get('/session')).status).toBe(200);
    expect((await scim.delete(path)).status).toBe(204);
    expectScimError(await scim.get(path), 404);
    expectScimError(await scim.delete(path), 404);
    expect(await scim.find('/Users', `userName eq "${member.email}"`)).toMatchObject({
      totalResults: 0,
    });
    expect((await page.get('/session')).status).toBe(401);
    expect((await member.api.get('/me')).status).toBe(403);
    expect(await scim.newUser(member.email)).toBe(member.userId);
    expect((await member.api.get('/me')).status).toBe(200);
  });

  it('of another account, and service accounts, do not exist', async () => {
    const stranger = await app.newAccount();
    const users = app.nest.get(UserService);
    const service = await users.createService(owner.accountId, 'robot', 'viewer', 'operator');
    for (const id of [stranger.userId, service.id, NO_ID, 'nonsense', 'a%00b']) {
      expectScimError(await scim.get(`/Users/${id}`), 404);
      expectScimError(await scim.put(`/Users/${id}`, ADA), 404);
      expectScimError(await scim.patch(`/Users/${id}`, [['replace', 'active', false]]), 404);
      expectScimError(await scim.delete(`/Users/${id}`), 404);
    }
    const all = (await scim.get('/Users')).body;
    expect(all).toMatchObject({ totalResults: 1, Resources: [{ id: owner.userId }] });
    expectScimError(await scim.post('/Users', { userName: service.email }), 409, 'uniqueness');
    expect(await scim.newUser(stranger.email)).not.toBe(stranger.userId);
  });

  it('who is the last active owner is not suspended, renamed or deleted', async () => {
    const path = `/Users/${owner.userId}`;
    const before = (await scim.get(path)).body;
    const failed = expectScimError(await scim.patch(path, [['replace', 'active', false]]), 409);
    expect(failed.detail).toContain('is the last active owner of the account');
    expectScimError(await scim.patch(path, [['replace', 'userName', 'x@example.com']]), 409);
    expectScimError(await scim.delete(path), 409);
    expect((await scim.get(path)).body).toEqual(before);
    expect((await scim.patch(path, [['add', 'title', 'Boss']])).status).toBe(200);
    const second = await app.newUser(owner.accountId, 'owner');
    expect((await scim.delete(`/Users/${second.userId}`)).status).toBe(204);
  });

  it('has no more attributes than fit', async () => {
    const big = { userName: 'ada@example.com', title: 'x'.repeat(17_000) };
    expectScimError(await scim.post('/Users', big), 400, 'invalidValue');
    const emails = Array.from({ length: 51 }, (_, n) => ({ value: `a${String(n)}@example.com` }));
    expectScimError(await scim.post('/Users', { ...ADA, emails }), 400, 'invalidValue');
    const ignored = { ...ADA, password: 'secret', nonsense: { a: 1 } };
    const { body } = await scim.post('/Users', ignored);
    expect(body).not.toHaveProperty('password');
    expect(body).not.toHaveProperty('nonsense');
  });
});

describe('a change of a user', () => {
  let path: string;

  beforeEach(async () => {
    path = `/Users/${await scim.newUser('ada@example.com', ADA)}`;
  });

  const patch = async (
    ...operations: Parameters<ScimClient['patch']>[1][number][]
  ): Promise<Json> => {
    const response = await scim.patch(path, operations);
    expect(response.text).toContain('"id"');
    return response.body;
  };

  it('adds, replaces and removes attributes, and parts of them', async () => {
    expect(
      await patch(['add', 'nickName', 'A'], ['replace', 'name.givenName', 'Augusta']),
    ).toMatchObject({
      nickName: 'A',
      name: { givenName: 'Augusta', familyName: 'Lovelace' },
    });
    const after = await patch(
      ['remove', 'nickName'],
      ['remove', 'name.familyName'],
      ['REMOVE', 'title'],
    );
    expect(after.name).toEqual({ givenName: 'Augusta' });
    expect(after).not.toHaveProperty('nickName');
    expect(after).not.toHaveProperty('title');
  });

  it('selects values by a filter', async () => {
    const changed = await patch(['replace', 'emails[type eq "home"].value', 'new@home.example']);
    expect(changed.emails).toEqual([ADA.emails[0], { value: 'new@home.example', type: 'home' }]);
    const added = await patch(['Add', 'phoneNumbers[type eq "work"].value', '123']);
    expect(added.phoneNumbers).toEqual([{ value: '123', type: 'work' }]);
    const removed = await patch(['remove', 'emails[type eq "home" and value co "new"]']);
    expect(removed.emails).toEqual([ADA.emails[0]]);
    const primary = await patch(
      ['add', 'emails', [{ value: 'b@example.com', primary: true }]],
      ['add', 'emails', [{ value: 'b@example.com', primary: true }]],
    );
    expect(primary.emails).toEqual([
      { value: 'ada@example.com', type: 'work', primary: false },
      { value: 'b@example.com', primary: true },
    ]);
    expect(await patch(['remove', 'emails'])).not.toHaveProperty('emails');
  });

  it('accepts the forms that Entra ID sends', async () => {
    const value = {
      displayName: 'Ada',
      'name.givenName': 'A',
      [`${ENTERPRISE}:department`]: 'Looms',
      'emails[type eq "work"].value': 'ada@work.example',
      nonsense: 'x',
    };
    expect(await patch(['Add', null, value], ['Replace', 'active', 'True'])).toMatchObject({
      displayName: 'Ada',
      active: true,
      name: { givenName: 'A', familyName: 'Lovelace' },
      emails: [{ value: 'ada@work.example', type: 'work' }, ADA.emails[1]],
      [ENTERPRISE]: { department: 'Looms', manager: { value: 'M-1' } },
    });
    const manager = await patch(['Replace', `${ENTERPRISE}:manager`, 'M-2']);
    expect(manager[ENTERPRISE].manager).toEqual({ value: 'M-2' });
    const without = await patch(['Remove', `${ENTERPRISE}:manager`]);
    expect(without[ENTERPRISE]).toEqual({ department: 'Looms' });
  });

  it.each([
    [['replace', 'id', 'x'], 'mutability'],
    [['replace', 'nonsense', 'x'], 'invalidPath'],
    [['replace', 'name.nonsense', 'x'], 'invalidPath'],
    [['replace', 'emails[type eq', 'x'], 'invalidPath'],
    [['replace', 'title[type eq "x"]', 'x'], 'invalidPath'],
    [['remove', null], 'noTarget'],
    [['move', 'title', 'x'], 'invalidSyntax'],
    [['add', null, 'x'], 'invalidValue'],
    [['replace', 'active', 'perhaps'], 'invalidValue'],
    [['replace', 'title', 5], 'invalidValue'],
    [['remove', 'userName'], 'invalidValue'],
    [['add', 'emails[type gt "x"].value', 'x'], 'invalidPath'],
    [['replace', '__proto__.polluted', 'x'], 'invalidPath'],
  ] as const)('rejects %j', async (operation, scimType) => {
    const before = (await scim.get(path)).body;
    expectScimError(
      await scim.patch(path, [['replace', 'displayName', 'Z'], operation]),
      400,
      scimType,
    );
    expect((await scim.get(path)).body).toEqual(before);
  });

  it('is made only of the version that the directory knows', async () => {
    const { body, headers } = await scim.get(path);
    const etag = headers.get('etag') ?? '';
    expect(body.meta.version).toBe(etag);
    const unchanged = await scim.get(path, { 'If-None-Match': etag });
    expect([unchanged.status, unchanged.text]).toEqual([304, '']);
    const title = ['replace', 'title', 'Boss'] as const;
    const changed = await scim.patch(path, [title], { 'If-Match': etag });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(etag);
    expectScimError(await scim.patch(path, [title], { 'If-Match': etag }), 412);
    expectScimError(await scim.put(path, ADA, { 'If-Match': etag }), 412);
    expectScimError(await scim.delete(path, { 'If-Match': etag }), 412);
    expect((await scim.get(path, { 'If-None-Match': etag })).status).toBe(200);
    expect((await scim.delete(path, { 'If-Match': '*' })).status).toBe(204);
  });

  it('is returned with the attributes that the directory wants', async () => {
    const only = async (query: string): Promise<Json> => (await scim.get(`${path}?${query}`)).body;
    expect(await only('attributes=userName,NAME.givenName')).toEqual({
      schemas: [USER, ENTERPRISE],
      id: path.slice('/Users/'.length),
      userName: 'ada@example.com',
      name: { givenName: 'Ada' },
    });
    expect(await only(`attributes=${ENTERPRISE}:department`)).toMatchObject({
      [ENTERPRISE]: { department: 'Engines' },
    });
    const without = await only('excludedAttributes=emails,meta,id,name.familyName');
    expect(without).toMatchObject({ userName: 'ada@example.com', name: { givenName: 'Ada' } });
    expect(Object.keys(without)).not.toContain('emails');
    expect(without.name).toEqual({ givenName: 'Ada' });
    expect(without).toHaveProperty('id');
  });
});
