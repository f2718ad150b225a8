import { ScimGroupMappingService } from '../../../src/scim/scim-group-mapping.service';
import { UserService } from '../../../src/auth/user/user.service';
import { WorkspaceRoleService } from '../../../src/auth/user/workspace-role.service';
import type { Json } from '../../support/api-client';
import { dataOf, NO_ID } from '../../support/fixture';
import { expectScimError, GROUP, ScimClient } from '../../support/scim-client';
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

const membersOf = async (id: string): Promise<string[]> => {
  const { body } = await scim.get(`/Groups/${id}`);
  return (body.members as { value: string }[]).map(({ value }) => value);
};

const roleOf = async (id: string): Promise<string> =>
  (await app.nest.get(UserService).getIn(owner.accountId, id)).role;

type Mapping = Parameters<ScimGroupMappingService['map']>[2];

async function map(id: string, mapping: Partial<Mapping>): Promise<void> {
  const wanted = { role: null, workspaceRoles: [], ...mapping };
  const mappings = app.nest.get(ScimGroupMappingService);
  await mappings.map(owner.accountId, id, wanted, 'operator', () => Promise.resolve());
}

const lastEvents = async (count: number): Promise<Json[]> =>
  (await owner.api.get(`/audit-events?limit=${String(count)}`)).body.data as Json[];

describe('a group', () => {
  it('is created with members, read, replaced and deleted', async () => {
    const [a, b] = [await scim.newUser('a@example.com'), await scim.newUser('b@example.com')];
    const created = await scim.post('/Groups', {
      schemas: [GROUP],
      ...{ displayName: 'Pilots', externalId: 'G-1', members: [{ value: a, display: 'A' }] },
    });
    expect(created.status).toBe(201);
    const id = String(created.body.id);
    expect(created.body).toMatchObject({
      ...{
        displayName: 'Pilots',
        externalId: 'G-1',
        members: [{ value: a, $ref: `${app.origin}/scim/v2/Users/${a}`, type: 'User' }],
      },
      meta: { resourceType: 'Group', location: `${app.origin}/scim/v2/Groups/${id}` },
    });
    expect((await scim.get(`/Groups/${id}`)).body).toEqual(created.body);
    const members = [{ value: b }, { value: b.toUpperCase() }];
    const replaced = await scim.put(`/Groups/${id}`, { displayName: 'Crew', members });
    expect(replaced.body).toMatchObject({ displayName: 'Crew', members: [{ value: b }] });
    expect(replaced.body).not.toHaveProperty('externalId');
    expect((await scim.delete(`/Groups/${id}`)).status).toBe(204);
    expectScimError(await scim.get(`/Groups/${id}`), 404);
    expect(await lastEvents(3)).toMatchObject([
      { action: 'scim_group_deleted', by: { via: 'scim' }, target: { name: 'Crew' } },
      { action: 'scim_group_changed', details: { added: '1', removed: '1', name: 'Crew' } },
      { action: 'scim_group_created', by: { via: 'scim' }, target: { name: 'Pilots' } },
    ]);
  });

  it('has a name that is unique in its account', async () => {
    await scim.newGroup('Pilots');
    expectScimError(await scim.post('/Groups', { displayName: 'PILOTS' }), 409, 'uniqueness');
    expectScimError(await scim.post('/Groups', {}), 400, 'invalidValue');
    const other = await ScimClient.of(app, await app.newAccount());
    await other.newGroup('Pilots');
  });

  it('of another account does not exist, nor do users of another account', async () => {
    const stranger = await app.newAccount();
    const other = await ScimClient.of(app, stranger);
    const theirs = await other.newGroup('Pilots');
    for (const id of [theirs, NO_ID, 'nonsense']) {
      expectScimError(await scim.get(`/Groups/${id}`), 404);
      expectScimError(await scim.put(`/Groups/${id}`, { displayName: 'X' }), 404);
      expectScimError(await scim.patch(`/Groups/${id}`, [['replace', 'displayName', 'X']]), 404);
      expectScimError(await scim.delete(`/Groups/${id}`), 404);
    }
    expect((await scim.get('/Groups')).body).toMatchObject({ totalResults: 0, Resources: [] });
    const foreign = { displayName: 'Own', members: [{ value: stranger.userId }] };
    expectScimError(await scim.post('/Groups', foreign), 400, 'invalidValue');
    const own = await scim.newGroup('Own');
    const add = ['add', 'members', [{ value: stranger.userId }]] as const;
    expectScimError(await scim.patch(`/Groups/${own}`, [add]), 400, 'invalidValue');
    expect(await scim.find('/Groups', `members.value eq "${stranger.userId}"`)).toMatchObject({
      totalResults: 0,
    });
  });

  it('changes its members by all forms of a patch', async () => {
    const ids = await Promise.all(
      ['a', 'b', 'c'].map((name) => scim.newUser(`${name}@example.com`)),
    );
    const [a = '', b = '', c = ''] = ids;
    const id = await scim.newGroup('Pilots');
    const patch = async (
      ...operations: Parameters<ScimClient['patch']>[1][number][]
    ): Promise<string[]> => {
      const { status, text } = await scim.patch(`/Groups/${id}`, operations);
      expect([status, text]).toEqual([204, '']);
      return membersOf(id);
    };
    expect(await patch(['Add', 'members', ids.map((value) => ({ value }))])).toEqual(
      [...ids].sort(),
    );
    expect(await patch(['remove', `members[value eq "${a}"]`])).toEqual([b, c].sort());
    expect(await patch(['Remove', 'members', [{ value: b }]])).toEqual([c]);
    expect(await patch(['replace', 'members', [{ value: a }]])).toEqual([a]);
    expect(await patch(['add', null, { members: [{ value: b }], displayName: 'Crew' }])).toEqual(
      [a, b].sort(),
    );
    expect(await patch(['remove', 'members'], ['add', 'members', { value: c }])).toEqual([c]);
    const filter = `members[value eq "${a}" or value eq "${c}"]`;
    expect(await patch(['add', 'members', [{ value: a }]], ['remove', filter])).toEqual([]);
    expect((await scim.get(`/Groups/${id}`)).body).toMatchObject({ displayName: 'Crew' });
    expectScimError(
      await scim.patch(`/Groups/${id}`, [['replace', 'members[value eq "x"].value', a]]),
      400,
      'mutability',
    );
    expectScimError(
      await scim.patch(`/Groups/${id}`, [['remove', 'members[type eq "User"]']]),
      400,
      'invalidPath',
    );
    expectScimError(
      await scim.patch(`/Groups/${id}`, [['add', 'members', [{ value: 'x' }]]]),
      400,
      'invalidValue',
    );
    const asked = await scim.send('PATCH', `/Groups/${id}?attributes=members`, {
      Operations: [{ op: 'add', path: 'members', value: [{ value: a }] }],
    });
    expect(asked.body.members).toMatchObject([{ value: a, type: 'User' }]);
  });

  it('has a new version with each change, and only then', async () => {
    const a = await scim.newUser('a@example.com');
    const path = `/Groups/${await scim.newGroup('Pilots', [a])}`;
    const etag = (await scim.get(path)).headers.get('etag') ?? '';
    expect((await scim.get(path, { 'If-None-Match': etag })).status).toBe(304);
    const same = await scim.patch(path, [['add', 'members', [{ value: a }]]], { 'If-Match': etag });
    expect(same.headers.get('etag')).toBe(etag);
    const left = await scim.delete(`/Users/${a}`);
    expect(left.status).toBe(204);
    expectScimError(
      await scim.patch(path, [['replace', 'displayName', 'X']], { 'If-Match': etag }),
      412,
    );
    expectScimError(await scim.delete(path, { 'If-Match': etag }), 412);
    expect((await scim.get(path)).body).toMatchObject({ displayName: 'Pilots', members: [] });
  });
});

describe('a mapping of a group', () => {
  let user: string;

  beforeEach(async () => {
    user = await scim.newUser('a@example.com');
  });

  it('gives its members the highest role, and takes it away', async () => {
    const [editors, admins] = [
      await scim.newGroup('Editors', [user]),
      await scim.newGroup('Admins'),
    ];
    expect(await roleOf(user)).toBe('viewer');
    await map(editors, { role: 'editor' });
    expect(await roleOf(user)).toBe('editor');
    expect((await lastEvents(1))[0]).toMatchObject({
      action: 'user_role_changed',
      by: { via: 'operator' },
      details: { from: 'viewer', to: 'editor' },
    });
    await map(admins, { role: 'admin' });
    await scim.patch(`/Groups/${admins}`, [['add', 'members', [{ value: user }]]]);
    expect(await roleOf(user)).toBe('admin');
    expect((await lastEvents(1))[0]).toMatchObject({
      ...{ action: 'user_role_changed', by: { via: 'scim' } },
      details: { from: 'editor', to: 'admin', scimToken: 'Directory' },
    });
    await scim.delete(`/Groups/${admins}`);
    expect(await roleOf(user)).toBe('editor');
    await map(editors, { role: null });
    expect(await roleOf(user)).toBe('viewer');
  });

  it('leaves a role that an owner has given by hand, and owners', async () => {
    const invited = await app.newUser(owner.accountId, 'editor');
    const group = await scim.newGroup('Members', [invited.userId, owner.userId]);
    expect(await roleOf(invited.userId)).toBe('editor');
    await map(group, { role: 'member' });
    expect([await roleOf(invited.userId), await roleOf(owner.userId)]).toEqual(['member', 'owner']);
    await app.nest.get(UserService).setRole(invited.email, 'admin');
    await map(group, { role: null });
    expect(await roleOf(invited.userId)).toBe('admin');
  });

  it('never gives more access to who loses it', async () => {
    const confined = await scim.newGroup('Contractors', [user]);
    await map(confined, { role: 'member' });
    expect(await roleOf(user)).toBe('member');
    await scim.delete(`/Groups/${confined}`);
    expect(await roleOf(user)).toBe('member');
  });

  it('gives roles in up to 100 workspaces together with others', async () => {
    const { rows } = await app.sql.query<{ id: string }>(
      `INSERT INTO workspaces (id, account_id, name, name_key)
       SELECT gen_random_uuid(), $1, 'W' || n, 'w' || n FROM generate_series(1, 101) n RETURNING id`,
      [owner.accountId],
    );
    const grants = rows.map(({ id }) => ({ workspaceId: id, role: 'viewer' as const }));
    const [first, second, third] = [
      await scim.newGroup('First'),
      await scim.newGroup('Second'),
      await scim.newGroup('Third'),
    ];
    await map(first, { workspaceRoles: grants.slice(0, 50) });
    await map(second, { workspaceRoles: grants.slice(50, 100) });
    await expect(map(third, { workspaceRoles: grants.slice(100) })).rejects.toMatchObject({
      code: 'quota_exceeded',
    });
    await map(third, { workspaceRoles: grants.slice(40, 60) });
  });

  it('gives roles in workspaces, beside those that were given by hand', async () => {
    const [one, two] = await Promise.all(
      ['One', 'Two'].map(async (name) =>
        String(dataOf(await owner.api.post('/workspaces', { name }), 201)['id']),
      ),
    );
    if (one === undefined || two === undefined) throw new Error('There are two.');
    const users = app.nest.get(UserService);
    const byHand = [{ workspaceId: two, role: 'viewer' as const }];
    await users.changeIn(owner.accountId, user, { workspaceRoles: byHand }, 'operator');
    const group = await scim.newGroup('Ones', [user]);
    await map(group, { workspaceRoles: [{ workspaceId: one, role: 'editor' }] });
    const rolesOf = (id: string): Promise<unknown> =>
      app.nest.get(WorkspaceRoleService).listOfUser(id);
    const given = [{ workspaceId: one, role: 'editor' }, ...byHand];
    expect(await rolesOf(user)).toEqual(
      given.sort((x, y) => (x.workspaceId < y.workspaceId ? -1 : 1)),
    );
    await scim.patch(`/Groups/${group}`, [['remove', 'members']]);
    expect(await rolesOf(user)).toEqual(byHand);
    const unknown = map(group, { workspaceRoles: [{ workspaceId: NO_ID, role: 'editor' }] });
    await expect(unknown).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('ends when its user is deleted', async () => {
    const group = await scim.newGroup('Admins', [user]);
    await map(group, { role: 'admin' });
    await scim.delete(`/Users/${user}`);
    expect(await roleOf(user)).toBe('viewer');
    expect(await scim.newUser('a@example.com')).toBe(user);
    expect(await roleOf(user)).toBe('viewer');
  });
});
