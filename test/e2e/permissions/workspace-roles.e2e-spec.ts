import type { ConsoleClient } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import {
  dataOf,
  newDatagrid,
  newTeam,
  newWorkspace,
  NO_ID,
  type Team,
} from '../../support/fixture';
import { type Ids, newIds } from '../../support/ids';
import { grantRoles, newWorkspaceMember } from '../../support/members';
import { TestApp, type Member } from '../../support/test-app';

let app: TestApp;
let team: Team;
let owner: ConsoleClient;
let own: Ids;
let other: Ids;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  owner = await app.console(team.owner);
  own = await newIds(team.owner);
  other = await newIds(team.owner);
});

afterAll(() => app.close());

const grant = (user: Member, workspaceRoles: object[]): Promise<void> =>
  grantRoles(owner, user, workspaceRoles);
const newMember = (role: string, workspaceId = own.workspaceId): Promise<Member> =>
  newWorkspaceMember(app, owner, team.owner, { workspaceId, role });

describe('a role in one workspace', () => {
  it('raises the role of the account, and never lowers it', async () => {
    const viewer = await app.newUser(team.owner.accountId, 'viewer');
    await grant(viewer, [{ workspaceId: own.workspaceId, role: 'editor' }]);
    const rowsOf = ({ datagridId }: Ids): string => `/datagrids/${datagridId}/rows`;
    dataOf(await viewer.api.post(rowsOf(own), { values: { u: 'viewer' } }), 201);
    expectFailure(await viewer.api.post(rowsOf(other), { values: {} }), 'forbidden');
    expect((await viewer.api.get(rowsOf(other))).status).toBe(200);
    const admin = await app.newUser(team.owner.accountId, 'admin');
    await grant(admin, [{ workspaceId: own.workspaceId, role: 'viewer' }]);
    dataOf(await admin.api.post(rowsOf(own), { values: { u: 'admin' } }), 201);
  });

  it('ends with the next request, and when its workspace is purged', async () => {
    const workspaceId = await newWorkspace(team.owner.api);
    const member = await newMember('viewer', workspaceId);
    expect((await member.api.get(`/workspaces/${workspaceId}`)).status).toBe(200);
    await grant(member, []);
    expectFailure(await member.api.get(`/workspaces/${workspaceId}`), 'not_found');
    await grant(member, [{ workspaceId, role: 'viewer' }]);
    await team.owner.api.delete(`/workspaces/${workspaceId}`);
    expect((await team.owner.api.delete(`/trash/${workspaceId}`)).status).toBe(204);
    const { rows } = await app.sql.query('SELECT 1 FROM workspace_roles WHERE workspace_id = $1', [
      workspaceId,
    ]);
    expect(rows).toEqual([]);
  });

  it('is told by GET /me and by the session', async () => {
    const member = await newMember('editor');
    expect(dataOf(await member.api.get('/me'), 200)).toMatchObject({
      role: 'member',
      workspaceRoles: [{ workspaceId: own.workspaceId, role: 'editor' }],
    });
    const session = dataOf(await (await app.console(member)).get('/session'), 200);
    expect(session.user.workspaceRoles).toEqual({ [own.workspaceId]: 'editor' });
  });

  it('is recorded in the audit log', async () => {
    const member = await newMember('editor');
    const { data } = (await owner.get('/data/audit-events')).body;
    expect(data[0]).toMatchObject({
      action: 'user_workspace_roles_changed',
      target: { id: member.userId },
      details: { roles: `${own.workspaceId}:editor` },
    });
  });

  it('limits the keys that a member can create', async () => {
    const session = await app.console(await newMember('viewer'));
    const workspaceIds = [other.workspaceId];
    expect((await session.post('/keys', { name: 'x', workspaceIds })).status).toBe(400);
    const scoped = await session.post('/keys', { name: 'x', scopes: ['rows:write'] });
    expectFailure(scoped, 'invalid_request', ['scopes not_a_choice']);
    const limited = { name: 'x', workspaceIds: [own.workspaceId], scopes: ['rows:read'] };
    const api = app.api(dataOf(await session.post('/keys', limited), 201).key);
    expect((await api.get(`/datagrids/${own.datagridId}/rows`)).status).toBe(200);
  });

  it('stays while its workspace is in the trash, and when other roles change', async () => {
    const workspaceId = await newWorkspace(team.owner.api);
    const member = await newMember('viewer', workspaceId);
    await team.owner.api.delete(`/workspaces/${workspaceId}`);
    const kept = [
      { workspaceId: own.workspaceId, role: 'editor' },
      { workspaceId, role: 'viewer' },
    ];
    await grant(member, kept);
    expectFailure(await member.api.get(`/workspaces/${workspaceId}`), 'not_found');
    await team.owner.api.post(`/trash/${workspaceId}/restore`);
    expect((await member.api.get(`/workspaces/${workspaceId}`)).status).toBe(200);
  });

  it('does not end the requests of a user whose role in the account suffices', async () => {
    const editor = await app.newUser(team.owner.accountId, 'editor');
    const path = `/datagrids/${own.datagridId}/rows`;
    const revision = (await editor.api.get(`/datagrids/${own.datagridId}/changes`)).body.meta;
    const waiting = editor.api.get(
      `/datagrids/${own.datagridId}/changes?cursor=${String(revision.nextCursor)}&wait=20`,
    );
    await grant(editor, [{ workspaceId: other.workspaceId, role: 'admin' }]);
    dataOf(await team.owner.api.post(path, { values: { u: 'wakes the reader' } }), 201);
    expect((await waiting).status).toBe(200);
  });

  it.each([
    [[{ workspaceId: NO_ID, role: 'viewer' }], 'workspaceRoles not_a_choice'],
    [[{ workspaceId: NO_ID, role: 'owner' }], 'workspaceRoles invalid_format'],
    [[{ workspaceId: 'x', role: 'viewer' }], 'workspaceRoles invalid_format'],
    [[{ workspaceId: NO_ID, role: 'viewer', more: 1 }], 'workspaceRoles invalid_format'],
    [{}, 'workspaceRoles invalid_format'],
  ])('is not granted by %j', async (workspaceRoles, detail) => {
    const path = `/users/${team.viewer.userId}`;
    expectFailure(await owner.patch(path, { workspaceRoles }), 'invalid_request', [detail]);
  });

  it('is not granted in a workspace of another account', async () => {
    const stranger = await app.newAccount();
    const workspaceId = await newWorkspace(stranger.api);
    const body = { workspaceRoles: [{ workspaceId, role: 'viewer' }] };
    const response = await owner.patch(`/users/${team.viewer.userId}`, body);
    expectFailure(response, 'invalid_request', ['workspaceRoles not_a_choice']);
    expect((await newDatagrid(stranger.api, [], workspaceId)).length).toBeGreaterThan(1);
  });
});
