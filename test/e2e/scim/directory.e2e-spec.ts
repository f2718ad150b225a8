import { AsyncResource } from 'node:async_hooks';
import { QuotaService } from '../../../src/auth/quota/quota.service';
import { UserRepository } from '../../../src/auth/user/user.repository';
import { UserService } from '../../../src/auth/user/user.service';
import { ConsoleScimController } from '../../../src/console-api/scim/scim.controller';
import { ChangeListener } from '../../../src/platform/database/change-listener';
import { Database } from '../../../src/platform/database/database';
import { DatabaseGate } from '../../../src/platform/database/database-gate';
import { QueryPool, QueryTimeoutError } from '../../../src/platform/database/query-pool';
import { entersGateBeforeHandler } from '../../../src/platform/routes/api-controller';
import { ScimGroupMappingService } from '../../../src/scim/scim-group-mapping.service';
import type { Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { waitingForLocks } from '../../support/locks';
import { ENTERPRISE, expectScimError, ScimClient } from '../../support/scim-client';
import { type Member, TestApp } from '../../support/test-app';

let app: TestApp;
let users: UserService;
let owner: Member;
let scim: ScimClient;

beforeAll(async () => {
  app = await TestApp.shared();
  users = app.nest.get(UserService);
});

afterAll(() => app.close());

beforeEach(async () => {
  owner = await app.newAccount();
  scim = await ScimClient.of(app, owner);
});

afterEach(() => {
  jest.restoreAllMocks();
});

const stored = (id: string): ReturnType<UserService['getIn']> => users.getIn(owner.accountId, id);

const lastEvents = async (count: number): Promise<Json[]> =>
  (await owner.api.get(`/audit-events?limit=${String(count)}`)).body.data as Json[];

/** Runs a step while another transaction has the lock of the account. */
const whileLocked = (step: () => Promise<void>): Promise<void> =>
  app.nest.get(Database).transaction(async () => {
    await app.nest.get(QuotaService).lock(owner.accountId);
    await step();
  });

describe('a user whom an owner has suspended', () => {
  it('stays suspended, whatever the directory sends', async () => {
    const member = await app.newUser(owner.accountId, 'editor');
    const path = `/Users/${member.userId}`;
    const userName = member.email;
    expect((await scim.put(path, { userName, active: true })).status).toBe(200);
    await users.setSuspended(member.email, true);
    const put = await scim.put(path, { userName, active: true, title: 'Engineer' });
    expect([put.status, put.body]).toMatchObject([200, { active: false, title: 'Engineer' }]);
    const patched = await scim.patch(path, [['replace', 'active', true]]);
    expect([patched.status, patched.body]).toMatchObject([200, { active: false }]);
    expect((await scim.delete(path)).status).toBe(204);
    const again = await scim.post('/Users', { userName });
    expect([again.status, again.body]).toMatchObject([201, { id: member.userId, active: false }]);
    expect(await stored(member.userId)).toMatchObject({ suspended: true });
  });

  it('stays suspended if the directory had suspended the user before', async () => {
    const id = await scim.newUser('ada@example.com');
    const path = `/Users/${id}`;
    await scim.patch(path, [['replace', 'active', false]]);
    await users.setSuspended('ada@example.com', true, owner.accountId);
    await scim.patch(path, [['replace', 'active', false]]);
    const on = await scim.patch(path, [['replace', 'active', true]]);
    expect(on.body).toMatchObject({ active: false });
    await users.setSuspended('ada@example.com', false, owner.accountId);
    await scim.patch(path, [['replace', 'active', false]]);
    const own = await scim.patch(path, [['replace', 'active', true]]);
    expect(own.body).toMatchObject({ active: true });
  });

  it('who is an owner is not let in by a directory that has suspended the user', async () => {
    const second = await app.newUser(owner.accountId, 'owner');
    const path = `/Users/${second.userId}`;
    expect((await scim.patch(path, [['replace', 'active', false]])).body.active).toBe(false);
    expect((await scim.patch(path, [['replace', 'active', true]])).body.active).toBe(false);
    expect((await scim.delete(path)).status).toBe(204);
    expect(await scim.newUser(second.email)).toBe(second.userId);
    expect(await stored(second.userId)).toMatchObject({ role: 'owner', suspended: true });
  });
});

describe('an owner', () => {
  it('keeps the address, whatever the directory sends', async () => {
    const second = await app.newUser(owner.accountId, 'owner');
    for (const { userId, email } of [owner, second]) {
      const renamed = await scim.patch(`/Users/${userId}`, [
        ['replace', 'userName', `new-${email}`],
      ]);
      expect(expectScimError(renamed, 409).detail).toContain('email address of an owner');
      const replaced = await scim.put(`/Users/${userId}`, { userName: `new-${email}` });
      expectScimError(replaced, 409);
      expect(await stored(userId)).toMatchObject({ email });
    }
  });

  it('who alone signs in without a provider is not suspended by a directory', async () => {
    await app.newUser(owner.accountId, 'owner');
    await app.sql.query('UPDATE accounts SET exempt_user_id = $2 WHERE id = $1', [
      ...[owner.accountId, owner.userId],
    ]);
    const path = `/Users/${owner.userId}`;
    const failed = await scim.patch(path, [['replace', 'active', false]]);
    expect(expectScimError(failed, 409).detail).toContain('without single sign-on');
    expectScimError(await scim.delete(path), 409);
    expect(await stored(owner.userId)).toMatchObject({ suspended: false });
  });
});

describe('an address', () => {
  it('of a removed user is not given to another one, and the failure names the user', async () => {
    const gone = await scim.newUser('ada@example.com');
    await scim.delete(`/Users/${gone}`);
    const other = await scim.newUser('bob@example.com');
    const rename = ['replace', 'userName', 'Ada@example.com'] as const;
    const failed = expectScimError(
      await scim.patch(`/Users/${other}`, [rename]),
      409,
      'uniqueness',
    );
    expect(failed.detail).toContain(gone);
    const service = await users.createService(owner.accountId, 'robot', 'viewer', 'operator');
    const robot = await scim.put(`/Users/${other}`, { userName: service.email });
    expectScimError(robot, 409, 'uniqueness');
    expect(await scim.newUser('ada@example.com')).toBe(gone);
    const seen = expectScimError(await scim.patch(`/Users/${other}`, [rename]), 409, 'uniqueness');
    expect(seen.detail).not.toContain(gone);
  });
});

describe('a change', () => {
  it('that takes over a user who was invited by hand is in the audit log', async () => {
    const [a, b, c] = [
      await app.newUser(owner.accountId, 'editor'),
      await app.newUser(owner.accountId, 'editor'),
      await app.newUser(owner.accountId, 'editor'),
    ];
    const taken = ({ userId }: Member): object => ({
      ...{ action: 'scim_user_taken_over', by: { via: 'scim' }, target: { id: userId } },
    });
    await scim.newUser(a.email);
    expect(await lastEvents(1)).toMatchObject([taken(a)]);
    await scim.patch(`/Users/${b.userId}`, [['add', 'title', 'x']]);
    expect(await lastEvents(1)).toMatchObject([taken(b)]);
    await scim.newGroup('Pilots', [a.userId, b.userId, c.userId]);
    expect(await lastEvents(2)).toMatchObject([taken(c), { action: 'scim_group_created' }]);
    await scim.patch(`/Users/${b.userId}`, [['add', 'title', 'y']]);
    expect((await lastEvents(1))[0]).toMatchObject(taken(c));
  });

  it('of a group is in the audit log, unless nothing has changed', async () => {
    const [a, b] = [await scim.newUser('a@example.com'), await scim.newUser('b@example.com')];
    const path = `/Groups/${await scim.newGroup('Pilots', [a])}`;
    await scim.patch(path, [
      ['add', 'members', [{ value: b }]],
      ['remove', `members[value eq "${a}"]`],
      ['replace', 'displayName', 'Crew'],
    ]);
    const changed = {
      action: 'scim_group_changed',
      by: { via: 'scim' },
      target: { name: 'Pilots' },
    };
    const details = { added: '1', removed: '1', name: 'Crew', scimToken: 'Directory' };
    expect((await lastEvents(1))[0]).toMatchObject({ ...changed, details });
    const [last] = await lastEvents(1);
    await scim.patch(path, [['add', 'members', [{ value: b }]]]);
    expect((await lastEvents(1))[0]).toEqual(last);
  });

  it('that is invalid fails before it waits for others', async () => {
    const id = await scim.newUser('ada@example.com');
    const group = await scim.newGroup('Pilots');
    await whileLocked(async () => {
      const invalid = ['replace', 'title', 5] as const;
      expectScimError(await scim.patch(`/Users/${id}`, [invalid]), 400, 'invalidValue');
      const unnamed = ['replace', 'displayName', ''] as const;
      expectScimError(await scim.patch(`/Groups/${group}`, [unnamed]), 400, 'invalidValue');
    });
  });

  it('applies to what another change has left that came first', async () => {
    const path = `/Users/${await scim.newUser('ada@example.com')}`;
    const add = (value: string): Promise<unknown> =>
      scim.patch(path, [['add', 'emails', [{ value, type: 'other' }]]]);
    let both: Promise<unknown> = Promise.resolve();
    await whileLocked(async () => {
      both = Promise.all([add('a@x.example'), add('b@x.example')]);
      await eventually(async () => (await waitingForLocks(app)) === 2);
    });
    await both;
    const { emails } = (await scim.get(path)).body;
    const values = (emails as { value: string }[]).map(({ value }) => value);
    expect(values.sort()).toEqual(['a@x.example', 'b@x.example']);
  });

  it('holds no connection while it waits until all processes know it', async () => {
    const gate = app.nest.get(DatabaseGate);
    const permits: number[] = [];
    jest.spyOn(ChangeListener, 'waitUntilPropagated').mockImplementation(() => {
      permits.push(gate.semaphore.state.held);
      return Promise.resolve();
    });
    const id = await scim.newUser('ada@example.com');
    await scim.patch(`/Users/${id}`, [['replace', 'active', false]]);
    const group = await scim.newGroup('Admins', [id]);
    const wanted = { role: 'admin', workspaceRoles: [] } as const;
    const mappings = app.nest.get(ScimGroupMappingService);
    await mappings.map(owner.accountId, group, wanted, 'operator', () => Promise.resolve());
    await scim.delete(`/Users/${id}`);
    expect(permits).toEqual([0, 0, 0]);
    // The service enters the gate once, and so must not run inside it.
    for (const name of ['mapGroup', 'groups']) {
      const handler = Reflect.get(ConsoleScimController.prototype, name) as object;
      expect(entersGateBeforeHandler(handler)).toBe(false);
    }
  });

  it('of roles by a group is kept by a change by hand at the same time', async () => {
    const member = await app.newUser(owner.accountId, 'editor');
    const group = await scim.newGroup('Admins', [member.userId]);
    const wanted = { role: 'admin', workspaceRoles: [] } as const;
    const mappings = app.nest.get(ScimGroupMappingService);
    const outside = new AsyncResource('outside the transaction');
    let suspended: Promise<unknown> = Promise.resolve();
    await app.nest.get(Database).transaction(async () => {
      await mappings.map(owner.accountId, group, wanted, 'operator', () => Promise.resolve());
      suspended = outside.runInAsyncScope(() => users.setSuspended(member.email, true));
      await eventually(async () => (await waitingForLocks(app)) === 1);
    });
    await suspended;
    expect(await stored(member.userId)).toMatchObject({ role: 'admin', suspended: true });
  });

  it('of a user by hand writes only what it changes', async () => {
    const member = await app.newUser(owner.accountId, 'editor');
    const update = jest.spyOn(app.nest.get(UserRepository), 'update');
    await users.setSuspended(member.email, true);
    expect(update.mock.calls).toEqual([[member.userId, { suspended: true }]]);
  });
});

describe('a filter as Entra ID sends it', () => {
  it('finds users by a part of selected values, and by their manager', async () => {
    const id = await scim.newUser('ada@example.com', {
      emails: [
        { value: 'ada@work.example', type: 'work' },
        { value: 'ada@home.example', type: 'home' },
      ],
      [ENTERPRISE]: { manager: { value: 'M-1' }, department: 'Engines' },
    });
    for (const filter of [
      'emails[type eq "work"].value eq "ada@work.example"',
      'emails[type eq "work"].value pr and department pr',
      `id eq "${id}" and manager eq "M-1"`,
      `${ENTERPRISE}:manager eq "m-1"`,
      'department eq "engines"',
    ])
      expect(await scim.find('/Users', filter)).toMatchObject({
        totalResults: 1,
        Resources: [{ id }],
      });
    for (const filter of [
      'emails[type eq "work"].value eq "ada@home.example"',
      `id eq "${id}" and manager eq "M-2"`,
    ])
      expect(await scim.find('/Users', filter)).toMatchObject({ totalResults: 0 });
  });

  it.each([
    'urn:ietf:params:scim:schemas:extension:Acme:2.0:User:active eq true',
    'urn:ietf:params:scim:schemas:extension:Acme:2.0:User:userName eq "ada@example.com"',
    'urn:ietf:params:scim:schemas:core:2.0:Group:displayName eq "x"',
    'emails[type eq "work"].nonsense eq "x"',
    'emails[type eq "work"].value',
    'title.x eq "x"',
    'meta.created gt "0000-01-01T00:00:00Z"',
    'meta.created gt "9999-12-31T23:59:59-01:00"',
    'meta.created gt "0001-01-01T00:00:00+01:00"',
  ])('is rejected if it is %s', async (filter) => {
    const query = `filter=${encodeURIComponent(filter)}`;
    expectScimError(await scim.get(`/Users?${query}`), 400, 'invalidFilter');
  });

  it('is rejected if it takes too long', async () => {
    const queries = app.nest.get(QueryPool);
    jest.spyOn(queries, 'run').mockRejectedValue(new QueryTimeoutError('The query timed out.'));
    for (const path of ['/Users', '/Groups'])
      expectScimError(await scim.get(`${path}?filter=displayName%20co%20%22a%22`), 400, 'tooMany');
  });

  it('does not take an attribute of an extension for that of a group', async () => {
    const filter = 'urn:acme:2.0:Group:displayName eq "x"';
    const query = `filter=${encodeURIComponent(filter)}`;
    expectScimError(await scim.get(`/Groups?${query}`), 400, 'invalidFilter');
    const path = `/Groups/${await scim.newGroup('Pilots', [owner.userId])}`;
    await scim.patch(path, [
      ['replace', 'urn:acme:2.0:Group:displayName', 'Crew'],
      ['remove', 'urn:acme:2.0:Group:members'],
    ]);
    expect((await scim.get(path)).body).toMatchObject({
      displayName: 'Pilots',
      members: [{ value: owner.userId }],
    });
  });
});

it('a value that is added again in another request is there once', async () => {
  const path = `/Users/${await scim.newUser('ada@example.com')}`;
  const add = ['add', 'phoneNumbers', [{ value: '1', type: 'work' }]] as const;
  for (let n = 0; n < 2; n += 1) expect((await scim.patch(path, [add])).status).toBe(200);
  expect((await scim.get(path)).body.phoneNumbers).toEqual([{ value: '1', type: 'work' }]);
});

it('a group is sent up to 10,000 members', async () => {
  const path = `/Groups/${await scim.newGroup('Pilots')}`;
  const members = Array.from({ length: 10_001 }, () => ({ value: owner.userId }));
  for (const op of ['add', 'replace', 'remove'])
    expectScimError(await scim.patch(path, [[op, 'members', members]]), 400, 'invalidValue');
  expectScimError(await scim.put(path, { displayName: 'Pilots', members }), 400, 'invalidValue');
  expect((await scim.patch(path, [['add', 'members', members.slice(1)]])).status).toBe(204);
});

it('a body has up to 200 attributes', async () => {
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`a${String(n)}`, 1]));
  const userName = 'ada@example.com';
  expectScimError(await scim.post('/Users', { userName, ...many }), 400, 'invalidValue');
  expectScimError(await scim.post('/Users', { userName, name: many }), 400, 'invalidValue');
  expectScimError(await scim.post('/Groups', { displayName: 'x', ...many }), 400, 'invalidValue');
});
