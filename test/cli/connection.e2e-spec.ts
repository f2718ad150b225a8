import type { Json } from '../support/api-client';
import { eventually } from '../support/eventually';
import {
  dataOf,
  newConnection,
  newDatagrid,
  newWorkspace,
  NO_ID,
  RFC3339,
} from '../support/fixture';
import { type Member, TestApp } from '../support/test-app';
import { FAKE_SETTINGS } from '../support/fake-destination';
import { admin, adminError, adminJson, adminProcess } from './admin';

// Starting a program may take long.
jest.setTimeout(120_000);

let app: TestApp;
let settings: { DATABASE_URL: string };

beforeAll(async () => {
  app = await TestApp.shared();
  settings = { DATABASE_URL: app.database.url };
});

afterAll(() => app.close());

interface Team {
  readonly owner: Member;
  readonly workspaceId: string;
  /** Ids of a connection that fails, because it may lead to no private address, and of a paused one. */
  readonly fails: string;
  readonly paused: string;
}

async function newTeam(): Promise<Team> {
  const owner = await app.newAccount();
  const workspaceId = await newWorkspace(owner.api);
  await newDatagrid(owner.api, [], workspaceId);
  const paused = await newConnection(owner.api, workspaceId);
  const fails = await newConnection(owner.api, workspaceId);
  const path = `/workspaces/${workspaceId}/connections/${fails}`;
  dataOf(await owner.api.patch(path, { enabled: true }), 200);
  await eventually(async () => dataOf(await owner.api.get(path), 200).status === 'failing');
  return { owner, workspaceId, fails, paused };
}

async function statusOf({ owner, workspaceId }: Team, id: string): Promise<string> {
  return dataOf(await owner.api.get(`/workspaces/${workspaceId}/connections/${id}`), 200).status;
}

describe('connection list', () => {
  it('prints the connections of an account, those first that fail, without settings', async () => {
    const { owner, workspaceId, fails, paused } = await newTeam();
    const { accountId } = owner;
    const args = ['connection', 'list', '--account', accountId];
    const both = { accountId, workspaceId, type: 'postgresql', tables: 1, syncedAt: null };
    const failing: Json = {
      ...both,
      id: fails,
      status: 'failing',
      failingTables: 1,
      imports: 0,
      failingImports: 0,
      lastErrorAt: expect.stringMatching(RFC3339),
      lastError: expect.any(String),
    };
    const none = {
      failingTables: 0,
      imports: 0,
      failingImports: 0,
      lastErrorAt: null,
      lastError: null,
    };
    const other = { ...both, id: paused, status: 'paused', ...none };
    expect(await adminJson(settings, ...args)).toEqual({ connections: [failing, other], total: 2 });
    const only = { connections: [failing], total: 1 };
    expect(await adminJson(settings, ...args, '--failing')).toEqual(only);
    const ofWorkspace = ['connection', 'list', '--workspace', workspaceId, '--limit', '1'];
    const { stdout } = await adminProcess(settings, ...ofWorkspace);
    expect(stdout).toMatch(
      new RegExp(`^${fails}  .*failing.*\\n1 more: use a greater --limit\\n$`),
    );
  });

  it('counts scheduled imports, and those that fail', async () => {
    const { owner, workspaceId } = await newTeam();
    const { api, accountId } = owner;
    const columns = [{ key: 'u', type: 'text', unique: true }];
    const datagrid = await newDatagrid(api, columns, workspaceId);
    const connections = `/workspaces/${workspaceId}/connections`;
    const body = { name: 'Read', type: 'postgresql', settings: FAKE_SETTINGS, datagridIds: [] };
    const id = String(dataOf(await api.post(connections, body), 201).id);
    const imports = `${connections}/${id}/imports`;
    const datagridId = datagrid.slice('/datagrids/'.length);
    const query = { name: 'Units', datagridId, query: 'SELECT 1 AS u', keyColumns: ['u'] };
    const created = dataOf(await api.post(imports, { ...query, intervalSeconds: 60 }), 201);
    await eventually(async () => {
      const { status } = dataOf(await api.get(`${imports}/${String(created.id)}`), 200);
      return status === 'failing';
    });
    const args = ['connection', 'list', '--account', accountId, '--failing'];
    const { connections: found } = (await adminJson(settings, ...args)) as { connections: Json[] };
    expect(found.find((one) => one.id === id)).toMatchObject({
      tables: 0,
      failingTables: 0,
      imports: 1,
      failingImports: 1,
    });
    const { stdout } = await admin(settings, ...args);
    expect(stdout).toContain('1 scheduled imports, 1 failing');
  });

  it('prints an empty list, and rejects what is no id', async () => {
    const { stdout } = await admin(settings, 'connection', 'list', '--workspace', NO_ID);
    expect(stdout).toBe('No connections found.\n');
    const unknown = await adminError(settings, 'connection', 'list', '--account', NO_ID);
    expect(unknown).toEqual({ code: 'not_found', message: `Account ${NO_ID} not found.` });
    const invalid = await adminError(settings, 'connection', 'list', '--workspace', 'Orders');
    expect(invalid).toMatchObject({ code: 'invalid_request' });
  });
});

describe('connection pause', () => {
  it('pauses a connection once, tells its account, and its account can resume it', async () => {
    const team = await newTeam();
    const { owner, workspaceId, fails } = team;
    const args = ['connection', 'pause', '--id', fails];
    expect(await adminJson(settings, ...args)).toEqual({ paused: [fails] });
    expect(await adminJson(settings, ...args)).toEqual({ paused: [] });
    expect(await statusOf(team, fails)).toBe('paused');
    const { rows } = await app.sql.query(
      "SELECT account_id, via, details FROM audit_events WHERE target_id = $1 AND via = 'operator'",
      [fails],
    );
    const { accountId } = owner;
    const details = { properties: 'enabled', reason: 'operator' };
    expect(rows).toEqual([{ account_id: accountId, via: 'operator', details }]);
    const path = `/workspaces/${workspaceId}/connections/${fails}`;
    expect(dataOf(await owner.api.patch(path, { enabled: true }), 200).enabled).toBe(true);
  });

  it('pauses those of one account, or all', async () => {
    const [one, other] = [await newTeam(), await newTeam()];
    const { accountId } = one.owner;
    const ofAccount = await adminJson(settings, 'connection', 'pause', '--account', accountId);
    expect(ofAccount).toEqual({ paused: [one.fails] });
    expect(await statusOf(other, other.fails)).toBe('failing');
    const all = await adminJson(settings, 'connection', 'pause', '--all');
    expect(all.paused).toContain(other.fails);
    expect(await statusOf(other, other.fails)).toBe('paused');
    const { rows } = await app.sql.query('SELECT FROM connections WHERE enabled');
    expect(rows).toEqual([]);
  });

  it.each([{ args: [] }, { args: ['--all', '--id', NO_ID] }])(
    'needs one scope, and not $args',
    async ({ args }) => {
      expect(await adminError(settings, 'connection', 'pause', ...args)).toEqual({
        code: 'invalid_request',
        message: 'Use exactly one of --id, --account and --all.',
      });
    },
  );

  it.each([NO_ID, 'Warehouse'])('reports that connection %s was not found', async (id) => {
    expect(await adminError(settings, 'connection', 'pause', '--id', id)).toEqual({
      code: 'not_found',
      message: `Connection ${id} not found.`,
    });
  });
});
