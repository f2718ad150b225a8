import { expectFailure } from '../../support/failure';
import {
  dataOf,
  freshName,
  newDatagrid,
  newTeam,
  newWorkspace,
  NOWHERE,
  type Team,
  UUID_V7,
  RFC3339,
} from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let workspaceId: string;
let route: string;

beforeAll(async () => {
  app = await TestApp.shared({
    MAX_WEBHOOKS_PER_ACCOUNT: '3',
    MAX_WEBHOOK_DATAGRIDS_PER_ACCOUNT: '4',
  });
  team = await newTeam(app);
});

beforeEach(async () => {
  workspaceId = await newWorkspace(team.owner.api);
  route = `/workspaces/${workspaceId}/webhooks`;
});

// The account may have few webhooks.
afterEach(() => app.sql.query('DELETE FROM webhooks WHERE account_id = ANY($1)', [app.accountIds]));

afterAll(() => app.close());

async function audited(id: string): Promise<string[]> {
  const sql = 'SELECT action FROM audit_events WHERE target_id = $1 ORDER BY id';
  const { rows } = await app.sql.query<{ action: string }>(sql, [id]);
  return rows.map(({ action }) => action);
}

describe('webhooks', () => {
  it('are created with all events of all datagrids, and show the secret once', async () => {
    const { api } = team.admin;
    const created = dataOf(await api.post(route, { url: NOWHERE }), 201);
    const { secret, ...webhook } = created;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhook).toEqual({
      id: expect.stringMatching(UUID_V7),
      workspaceId,
      url: NOWHERE,
      description: '',
      events: [
        'rows.created',
        'rows.updated',
        'rows.deleted',
        'columns.changed',
        'datagrid.deleted',
        'datagrid.restored',
      ],
      datagridIds: null,
      filter: null,
      payload: 'full',
      enabled: true,
      status: 'active',
      disabledReason: null,
      lastSuccessAt: null,
      lastErrorAt: null,
      lastError: null,
      consecutiveFailures: 0,
      oldestUndeliveredAt: null,
      createdAt: expect.stringMatching(RFC3339),
      updatedAt: expect.stringMatching(RFC3339),
    });
    expect(dataOf(await api.get(`${route}/${String(created.id)}`), 200)).toEqual(webhook);
    const page = { total: 1, page: 1, pageSize: 1, totalPages: 1 };
    expect((await api.get(route)).body).toEqual({ data: [webhook], meta: page });
    expect(app.logs.join('')).not.toContain(String(secret).slice(6));
  });

  it('are changed under If-Match, which ignores their health', async () => {
    const { api } = team.owner;
    const created = await api.post(route, { url: NOWHERE });
    const id = String(created.body.data.id);
    const path = `${route}/${id}`;
    const etag = created.headers.get('etag') ?? '';
    await app.sql.query('UPDATE webhooks SET last_success_at = now() WHERE id = $1', [id]);
    const read = await api.get(path);
    expect(read.headers.get('etag')).not.toBe(etag);
    const change = { description: 'a', events: ['rows.created'], payload: 'thin', enabled: false };
    const changed = await api.patch(path, change, { 'if-match': etag });
    expect(dataOf(changed, 200)).toMatchObject({
      ...change,
      url: NOWHERE,
      status: 'disabled',
      disabledReason: 'user',
    });
    for (const sent of [etag, read.headers.get('etag') ?? '', '"none"']) {
      const stale = await api.patch(path, { description: 'b' }, { 'if-match': sent });
      expectFailure(stale, 'precondition_failed');
      expectFailure(await api.delete(path, { 'if-match': sent }), 'precondition_failed');
    }
    expect(dataOf(await api.patch(path, { enabled: true }), 200).status).toBe('active');
    await api.post(`${path}/rotate`);
    await api.post(`${path}/replay`, { since: new Date().toISOString() });
    expect((await api.delete(path)).status).toBe(204);
    expectFailure(await api.get(path), 'not_found');
    expect(await audited(id)).toEqual([
      'webhook_created',
      'webhook_disabled',
      'webhook_updated',
      'webhook_secret_rotated',
      'webhook_replayed',
      'webhook_deleted',
    ]);
  });

  it.each([
    [
      { url: 'http://localhost:8080/' },
      'url',
      'invalid_format',
      'must start with https://, unless it leads to an address that the operator allows in WEBHOOK_ALLOWED_PRIVATE_RANGES',
    ],
    [{ url: 'ftp://example.com/' }, 'url', 'invalid_format', 'must start with https://'],
    [{ url: 'example.com' }, 'url', 'invalid_format', 'must be a URL of up to 2000 characters'],
    [{ url: 1 }, 'url', 'invalid_format', 'must be a URL of up to 2000 characters'],
    [
      { url: 'https://a:b@example.com/' },
      'url',
      'invalid_format',
      'must not contain a user name or password',
    ],
    [{ url: 'https://example.com/\0' }, 'url', 'invalid_text', /^must not contain the NUL/],
    [{ description: 'a'.repeat(2_001) }, 'description', 'out_of_range', /^must be a string of up/],
    [
      { events: [] },
      'events',
      'not_a_choice',
      /^must have at least one of: rows\.created, .*datagrid\.restored; to send no events, set enabled to false$/,
    ],
    [{ events: ['rows.created', 'rows.created'] }, 'events', 'not_a_choice', /^must be a list/],
    [{ events: ['changes.gap'] }, 'events', 'not_a_choice', /^must be a list/],
    [{ datagridIds: [] }, 'datagridIds', 'invalid_format', /^must be null or a list of 1 to 1000/],
    [{ payload: 'some' }, 'payload', 'not_a_choice', 'must be "full" or "thin"'],
    [{ enabled: 'yes' }, 'enabled', 'wrong_type', 'must be true or false'],
    [{ secret: 'x' }, 'secret', 'unknown_property', /^is not a known property/],
  ])('reject %j and name the field', async (body, field, code, message) => {
    const { api } = team.owner;
    const failed = await api.post(route, { url: NOWHERE, ...body });
    expectFailure(failed, 'invalid_request', [`${field} ${code}`]);
    expect(failed.body.error.details[0].message).toMatch(message);
    const { id } = dataOf(await api.post(route, { url: NOWHERE }), 201);
    const change = await api.patch(`${route}/${String(id)}`, body);
    expectFailure(change, 'invalid_request', [`${field} ${code}`]);
  });

  it.each([
    'https://example.com/\r\nhost: a',
    'https://example.com/\t',
    ' https://example.com/',
    'https://example.com/a b',
    'https://example.com/\u0085',
    'https:example.com',
    'https:/example.com',
    'https:///example.com',
    'https:\\\\example.com\\',
    'https://example.com:65536/',
    'https://[::1%25eth0]/',
    `https://example.com/${'a'.repeat(1_981)}`,
    // 12 characters for each one once encoded.
    `https://example.com/?${'🦊'.repeat(200)}`,
    `https://${'a'.repeat(64)}.example.com/`,
    `https://${'a.'.repeat(127)}example.com/`,
    'https://example..com/',
    'https://example.com/#a',
    'https://@example.com/',
    'https://:@example.com',
    'https://user@example.com/?a@b',
  ])('reject the URL %j, which is not sent as it stands', async (url) => {
    const failed = await team.owner.api.post(route, { url });
    expectFailure(failed, 'invalid_request', ['url invalid_format']);
    const part = url.includes('@') ? 'a user name or password' : 'a fragment';
    expect(failed.body.error.details[0].message).toBe(
      /[@#]/.test(url) ? `must not contain ${part}` : 'must be a URL of up to 2000 characters',
    );
  });

  it.each([
    'https://example.com',
    'HTTPS://EXAMPLE.com:8443/a?b=%0d%0a',
    'https://bücher.example/ä?b=ö',
    'https://example.com./',
    'https://93.184.215.14/',
    `https://example.com/${'a'.repeat(1_980)}`,
  ])('accept the URL %s and return it unchanged', async (url) => {
    expect(dataOf(await team.owner.api.post(route, { url }), 201).url).toBe(url);
  });

  it.each([
    'localhost',
    'localhost.',
    'a.localhost',
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '0.0.0.0',
    '10.0.0.1',
    '169.254.169.254',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[fd00::1]',
    '[64:ff9b::7f00:1]',
  ])('reject the URL https://%s/', async (host) => {
    const failed = await team.owner.api.post(route, { url: `https://${host}/` });
    expectFailure(failed, 'invalid_request', ['url forbidden_address']);
    expect(failed.body.error.details[0].message).toBe(
      'must not lead to a private, local or reserved address, unless the operator allows it in WEBHOOK_ALLOWED_PRIVATE_RANGES',
    );
  });

  it('reject datagrids of other workspaces and accounts, and those in the trash', async () => {
    const { api } = team.owner;
    const [own, foreign, other, trashed] = await Promise.all([
      newDatagrid(api, [], workspaceId),
      newDatagrid((await newTeam(app)).owner.api, []),
      newDatagrid(api, []),
      newDatagrid(api, [], workspaceId),
    ]);
    await api.delete(trashed);
    const ids = [own, foreign, other, trashed].map((path) => path.slice('/datagrids/'.length));
    const failed = await api.post(route, { url: NOWHERE, datagridIds: ids });
    const names = [1, 2, 3].map((n) => `datagridIds.${String(n)} unknown_datagrid`);
    expectFailure(failed, 'invalid_request', names);
    const body = { url: NOWHERE, datagridIds: ids.slice(0, 1) };
    expect(dataOf(await api.post(route, body), 201).datagridIds).toEqual(ids.slice(0, 1));
  });

  it('return 403 quota_exceeded beyond MAX_WEBHOOKS_PER_ACCOUNT, also at the same time', async () => {
    const { api } = team.owner;
    const other = `/workspaces/${await newWorkspace(api)}/webhooks`;
    const responses = await Promise.all(
      [route, other, route, other, route].map((path) => api.post(path, { url: NOWHERE })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 201, 403, 403]);
    const rejected = responses.find(({ status }) => status === 403);
    expect(rejected?.body.error).toMatchObject({
      code: 'quota_exceeded',
      message: 'Quota exceeded: this account may have at most 3 webhooks.',
    });
  });

  it('return 403 quota_exceeded beyond MAX_WEBHOOK_DATAGRIDS_PER_ACCOUNT, and change nothing', async () => {
    const { api } = team.owner;
    const grids: string[] = [];
    for (let n = 0; n < 3; n += 1) grids.push(await newDatagrid(api, [], workspaceId));
    const ids = grids.map((path) => path.slice('/datagrids/'.length));
    dataOf(await api.post(route, { url: NOWHERE }), 201);
    const full = await api.post(route, { url: NOWHERE });
    expectFailure(full, 'quota_exceeded');
    expect(full.body.error.message).toBe(
      'Quota exceeded: this account may have at most 4 pairs of a webhook and a datagrid.',
    );
    const body = { url: NOWHERE, datagridIds: ids.slice(0, 1) };
    const path = `${route}/${String(dataOf(await api.post(route, body), 201).id)}`;
    expectFailure(await api.patch(path, { datagridIds: ids.slice(0, 2) }), 'quota_exceeded');
    expect(dataOf(await api.get(path), 200).datagridIds).toEqual(ids.slice(0, 1));
    dataOf(await api.patch(path, { datagridIds: ids.slice(1, 2), description: 'a' }), 200);
  });

  it('return 403 to viewers and editors', async () => {
    for (const role of ['viewer', 'editor'] as const) {
      expectFailure(await team[role].api.get(route), 'forbidden');
      expectFailure(await team[role].api.post(route, { url: NOWHERE }), 'forbidden');
    }
  });

  it('are created and rotated once with an Idempotency-Key, whose stored response has no secret', async () => {
    const { api } = team.owner;
    const key = { 'idempotency-key': freshName() };
    const [first, second] = [
      await api.post(route, { url: NOWHERE }, key),
      await api.post(route, { url: NOWHERE }, key),
    ];
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.body.data).toEqual({ ...first.body.data, secret: null });
    expect((await api.get(route)).body.meta.total).toBe(1);
    const rotate = `${route}/${String(first.body.data.id)}/rotate`;
    const other = { 'idempotency-key': freshName() };
    const rotated = dataOf(await api.post(rotate, undefined, other), 200);
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(dataOf(await api.post(rotate, undefined, other), 200)).toEqual({
      ...rotated,
      secret: null,
    });
    const stored = await app.sql.query<{ body: string }>('SELECT body FROM idempotency_keys');
    expect(stored.rows.length).toBeGreaterThan(1);
    expect(stored.rows.map(({ body }) => body).join('')).not.toContain('whsec_');
  });

  it('reject a replay from before the retention period or of an unknown datagrid', async () => {
    const { api } = team.owner;
    const { id } = dataOf(await api.post(route, { url: NOWHERE }), 201);
    const path = `${route}/${String(id)}/replay`;
    const late = await api.post(path, {
      since: new Date(Date.now() - 8 * 86_400_000).toISOString(),
    });
    expectFailure(late, 'invalid_request', ['since out_of_range']);
    expect(late.body.error.details[0].message).toBe('must be within the last 7 days');
    for (const since of ['yesterday', '2026-02-30', 5, null]) {
      expectFailure(await api.post(path, { since }), 'invalid_request', ['since invalid_format']);
    }
    const since = new Date().toISOString();
    const unknown = await api.post(path, { since, datagridId: workspaceId });
    expectFailure(unknown, 'invalid_request', ['datagridId unknown_datagrid']);
  });

  it('disappear with their workspace, and are deleted with it', async () => {
    const { api } = team.owner;
    const { id } = dataOf(await api.post(route, { url: NOWHERE }), 201);
    await api.delete(`/workspaces/${workspaceId}`);
    expectFailure(await api.get(`${route}/${String(id)}`), 'not_found');
    await api.post(`/trash/${workspaceId}/restore`);
    dataOf(await api.get(`${route}/${String(id)}`), 200);
    await api.delete(`/workspaces/${workspaceId}`);
    expect((await api.delete(`/trash/${workspaceId}`)).status).toBe(204);
    const { rows } = await app.sql.query('SELECT FROM webhooks WHERE id = $1', [id]);
    expect(rows).toEqual([]);
  });
});
