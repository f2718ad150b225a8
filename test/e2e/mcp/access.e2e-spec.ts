import { ApiKeyService } from '../../../src/auth/api-key/api-key.service';
import { KeyRequestService } from '../../../src/auth/key-request/key-request.service';
import type { ConsoleClient } from '../../support/console-client';
import { eventually } from '../../support/eventually';
import { dataOf, newTeam, type Team } from '../../support/fixture';
import { type Ids, newIds, NO_IDS } from '../../support/ids';
import { callMessage, McpTestClient, sendMessage } from '../../support/mcp-client';
import { newWorkspaceMember } from '../../support/members';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let console: ConsoleClient;
let own: Ids;
let other: Ids;
const clients: McpTestClient[] = [];

const READS = [
  'whoami',
  'list_workspaces',
  'list_datagrids',
  'describe_datagrid',
  'query_rows',
  'get_row',
  'aggregate_rows',
  'list_changes',
  'list_sql_tables',
  'run_sql',
];
const WRITES = ['create_rows', 'update_rows', 'upsert_rows', 'delete_rows'];

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  console = await app.console(team.owner);
  own = await newIds(team.owner);
  other = await newIds(team.owner);
});

afterAll(async () => {
  for (const client of clients) await client.close();
  await app.close();
});

async function connect(key: string): Promise<McpTestClient> {
  const client = await McpTestClient.connect(app.origin, key);
  clients.push(client);
  return client;
}

/** Returns a client with a key of the owner that has these limits. */
async function limited(limits: object): Promise<McpTestClient> {
  const created = await console.post('/keys', { name: 'Limited', ...limits });
  return connect(dataOf(created, 201).key);
}

/** Returns valid arguments of a tool. */
function argumentsOf(name: string, { workspaceId, datagridId }: Ids): Record<string, unknown> {
  if (name === 'whoami' || name === 'list_workspaces') return {};
  if (name === 'list_datagrids' || name === 'list_sql_tables') return { workspaceId };
  if (name === 'run_sql') return { workspaceId, sql: 'SELECT 1' };
  const more: Readonly<Record<string, object>> = {
    get_row: { rowId: 1 },
    create_rows: { rows: [{ values: {} }] },
    update_rows: { rows: [{ id: 1, values: {} }] },
    upsert_rows: { matchOn: ['u'], rows: [{ values: { u: 'sent' } }] },
    delete_rows: { rows: [{ id: 1 }], dryRun: true },
  };
  return { datagridId, ...more[name] };
}

const WITH_IDS = [...READS.slice(2), ...WRITES];

describe('the list of tools', () => {
  it('contains only reads for viewers and for keys with scopes of reads', async () => {
    expect(await (await connect(team.viewer.key)).names()).toEqual(READS);
    expect(await (await connect(team.editor.key)).names()).toEqual([...READS, ...WRITES]);
    const reads = ['workspaces:read', 'datagrids:read', 'rows:read'];
    expect(await (await limited({ scopes: reads })).names()).toEqual(READS);
  });

  it('contains the tools of the scopes of a key', async () => {
    expect(await (await limited({ scopes: ['rows:write'] })).names()).toEqual([
      'whoami',
      ...READS.slice(4),
      ...WRITES,
    ]);
    expect(await (await limited({ scopes: ['datagrids:read'] })).names()).toEqual([
      'whoami',
      'list_datagrids',
      'describe_datagrid',
    ]);
  });

  it('contains the tools that a role in a single workspace allows', async () => {
    const grant = { workspaceId: own.workspaceId, role: 'editor' };
    const member = await newWorkspaceMember(app, console, team.owner, grant);
    const mcp = await connect(member.key);
    expect(await mcp.names()).toEqual([...READS, ...WRITES]);
    const { datagridId } = own;
    expect((await mcp.ok('create_rows', { datagridId, rows: [{ values: {} }] })).data).toHaveLength(
      1,
    );
    const hidden = await mcp.error('query_rows', { datagridId: other.datagridId });
    expect(hidden).toMatchObject({ code: 'not_found', message: 'Datagrid not found.' });
    const nobody = await app.newUser(team.owner.accountId, 'member');
    expect(await (await connect(nobody.key)).names()).toEqual(['whoami']);
  });

  it('considers only roles in the workspaces of a limited key', async () => {
    const grant = { workspaceId: own.workspaceId, role: 'viewer' };
    const member = await newWorkspaceMember(app, console, team.owner, grant);
    const roles = [grant, { workspaceId: other.workspaceId, role: 'editor' }];
    dataOf(await console.patch(`/users/${member.userId}`, { workspaceRoles: roles }), 200);
    const session = await app.console(member);
    const limits = { name: 'Reads', workspaceIds: [own.workspaceId] };
    const { key } = dataOf(await session.post('/keys', limits), 201);
    expect(await (await connect(key)).names()).toEqual(READS);
  });
});

describe('a tool that is not listed', () => {
  it('is rejected for a viewer with the message of the API, and changes nothing', async () => {
    const mcp = await connect(team.viewer.key);
    const rowsOf = async (): Promise<unknown> =>
      (await team.owner.api.get(`/datagrids/${own.datagridId}/rows`)).body;
    const before = await rowsOf();
    for (const name of WRITES) {
      expect(await mcp.error(name, argumentsOf(name, own))).toMatchObject({
        code: 'forbidden',
        message: 'The role viewer does not allow this.',
      });
    }
    expect(await rowsOf()).toEqual(before);
  });

  it('is rejected for a key without the scope', async () => {
    const mcp = await limited({ scopes: ['rows:read'] });
    for (const [name, scope] of [
      ['list_workspaces', 'workspaces:read'],
      ['describe_datagrid', 'datagrids:read'],
      ['create_rows', 'rows:write'],
      ['delete_rows', 'rows:write'],
    ] as const) {
      expect(await mcp.error(name, argumentsOf(name, own))).toMatchObject({
        code: 'forbidden',
        message: `This API key does not have the scope ${scope}.`,
      });
    }
  });

  it('is a JSON-RPC error if no tool has the name', async () => {
    const mcp = await connect(team.owner.key);
    await expect(mcp.call('drop_everything')).rejects.toMatchObject({
      code: -32_602,
      message: 'Unknown tool: drop_everything',
    });
  });
});

describe('ids that the caller has no access to', () => {
  const expectHidden = async (mcp: McpTestClient, ids: Ids): Promise<void> => {
    for (const name of WITH_IDS) {
      const random = await mcp.error(name, argumentsOf(name, NO_IDS));
      const hidden = await mcp.error(name, argumentsOf(name, ids));
      expect(hidden).toEqual({ ...random, requestId: hidden.requestId });
      expect(hidden.code).toBe('not_found');
    }
  };

  it('are not found by another account with any tool', async () => {
    const outsider = await app.newAccount();
    const mcp = await connect(outsider.key);
    await expectHidden(mcp, own);
    expect((await mcp.ok('list_workspaces')).data).toEqual([]);
  });

  it('are not found by a key that is limited to another workspace or datagrid', async () => {
    const ofWorkspace = await limited({ workspaceIds: [own.workspaceId] });
    await expectHidden(ofWorkspace, other);
    expect((await ofWorkspace.ok('list_workspaces')).data).toMatchObject([{ id: own.workspaceId }]);
    const ofDatagrid = await limited({ datagridIds: [own.datagridId] });
    await expectHidden(ofDatagrid, other);
    const { data } = await ofDatagrid.ok('describe_datagrid', { datagridId: own.datagridId });
    expect(data.id).toBe(own.datagridId);
  });
});

describe('a key', () => {
  it('is required, with WWW-Authenticate, and a revoked key stops working at once', async () => {
    const { id, key } = await app.nest
      .get(ApiKeyService)
      .create(team.owner.userId, 'revoked', null, 'operator');
    expect((await sendMessage(app.origin, key, callMessage('whoami'))).status).toBe(200);
    dataOf(await console.get('/keys'), 200);
    expect((await console.delete(`/keys/${id}`)).status).toBe(204);
    for (const sent of [key, undefined, 'mk_wrong']) {
      const { status, headers, body } = await sendMessage(app.origin, sent, callMessage('whoami'));
      const error = sent === undefined ? '' : 'error="invalid_token", ';
      const metadata = `${app.origin}/.well-known/oauth-protected-resource/mcp`;
      expect([status, headers.get('www-authenticate')]).toEqual([
        401,
        `Bearer ${error}resource_metadata="${metadata}", scope="workspaces:read datagrids:read rows:read rows:write"`,
      ]);
      expect(body.error.code).toBe('unauthenticated');
    }
  });

  it('of a suspended account gets 403', async () => {
    const outsider = await app.newAccount();
    await app.sql.query('UPDATE accounts SET suspended = true WHERE id = $1', [outsider.accountId]);
    await eventually(async () => {
      const sent = await sendMessage(app.origin, outsider.key, callMessage('whoami'));
      return sent.status === 403 && sent.body.error.code === 'account_suspended';
    });
  });

  it('has its tool calls in the request log by route, and other messages as /mcp, each once', async () => {
    const member = await app.newAccount();
    const ids = await newIds(member);
    const requests = async (): Promise<unknown[]> => {
      await app.nest.get(KeyRequestService).runOnce();
      const { rows } = await app.sql.query<{ line: string }>(
        `SELECT concat_ws(' ', method, route, status, error_code) AS line FROM api_key_requests
         WHERE account_id = $1 AND (route = '/mcp' OR request_id LIKE 'mcp-%') ORDER BY id`,
        [member.accountId],
      );
      return rows.map(({ line }) => line);
    };
    const send = (id: string, message: object): Promise<unknown> =>
      sendMessage(app.origin, member.key, message, { 'x-request-id': `mcp-${id}` });
    await send('1', { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    await send('2', callMessage('query_rows', { datagridId: ids.datagridId }));
    await send('3', callMessage('get_row', { datagridId: ids.datagridId, rowId: 99 }));
    const expected = [
      'POST /mcp 200',
      'POST /api/v1/public/datagrids/:datagridId/rows/query 200',
      'GET /api/v1/public/datagrids/:datagridId/rows/:rowId 404 not_found',
    ];
    await eventually(async () => (await requests()).length >= expected.length);
    expect(new Set(await requests())).toEqual(new Set(expected));
    expect(await requests()).toHaveLength(3);
  });
});
