import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConsoleFiles } from '../../../src/console-api/page/console-files';
import { PurgeService } from '../../../src/rows/purge/purge.service';
import { ApiClient, type ApiResponse } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, newView, RFC3339, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

const COLUMNS = [
  { key: 'name', type: 'text' },
  { key: 'amount', type: 'decimal' },
  { key: 'secret', type: 'text' },
];

const PAGE = '<!doctype html><title>Shared</title><style nonce="__CSP_NONCE__"></style>';

let app: TestApp;
let directory: string;
let team: Team;
let anybody: ApiClient;
let datagrid: string;
let link: string;
let viewId: string;

beforeAll(async () => {
  app = await TestApp.shared();
  anybody = new ApiClient(app.origin, undefined, '');
  directory = await mkdtemp(join(tmpdir(), 'datagrid-shared-'));
  await writeFile(join(directory, 'shared.html'), PAGE);
  await app.nest.get(ConsoleFiles).readFrom(directory);
});

beforeEach(async () => {
  team = await newTeam(app);
  datagrid = await newDatagrid(team.owner.api, COLUMNS);
  await team.owner.api.post(`${datagrid}/rows`, { values: { name: 'Ada', secret: 'hidden' } });
  viewId = await newView(team.editor.api, datagrid, {
    columns: [{ key: 'secret', hidden: true }],
  });
  link = `${datagrid}/views/${viewId}/link`;
});

afterAll(async () => {
  await rm(directory, { recursive: true });
  await app.close();
});

/** Creates the link of the view and returns the path of its page. */
async function share(body: object = {}): Promise<string> {
  const { url } = dataOf(await team.admin.api.post(link, body), 201) as { url: string };
  return new URL(url).pathname;
}

const read = (path: string): Promise<ApiResponse> => anybody.get(`${path}/rows`);

describe('a public link', () => {
  it('has a page that is not stored, indexed or framed, and sends no referrer', async () => {
    const path = await share();
    const page = await anybody.get(`${path}?from=mail`);
    expect([page.status, page.text.replace(/nonce="[^"]+"/, 'nonce')]).toEqual([
      200,
      '<!doctype html><title>Shared</title><style nonce></style>',
    ]);
    const { headers } = page;
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-robots-tag')).toBe('noindex, nofollow');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    const policy = headers.get('content-security-policy')?.split(';');
    expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "script-src 'self'"]));
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.getSetCookie()).toEqual([]);
  });

  it('is returned with its URL once, and without it afterwards', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const created = dataOf(await team.admin.api.post(link, { expiresAt }), 201);
    expect(created).toEqual({
      createdAt: expect.stringMatching(RFC3339),
      createdBy: team.admin.userId,
      expiresAt,
      lastUsedAt: null,
      columns: ['name', 'amount'],
      url: expect.stringMatching(new RegExp(`^${app.origin}/shared/[\\w-]{43}$`)),
    });
    const { url, ...rest } = created as { url: string };
    expect(dataOf(await team.owner.api.get(link), 200)).toEqual(rest);
    const token = url.slice(-43);
    const { rows } = await app.sql.query('SELECT row_to_json(l)::text AS row FROM view_links l');
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(app.logs.join('')).not.toContain(token);
  });

  it('is not returned again if the request is repeated with its Idempotency-Key', async () => {
    const key = { 'idempotency-key': 'link-1' };
    const first = dataOf(await team.admin.api.post(link, {}, key), 201);
    const again = dataOf(await team.admin.api.post(link, {}, key), 201);
    expect(again).toEqual({ ...(first as object), url: null });
  });

  it.each(['viewer', 'editor'] as const)('is not for the role %s', async (role) => {
    await share();
    const { api } = team[role];
    expectFailure(await api.post(link, {}), 'forbidden');
    expectFailure(await api.get(link), 'forbidden');
    expectFailure(await api.delete(link), 'forbidden');
  });

  it('is not found through another account, and not if the view has none', async () => {
    expectFailure(await team.admin.api.get(link), 'not_found');
    expectFailure(await team.admin.api.delete(link), 'not_found');
    const path = await share();
    const { api } = (await newTeam(app)).owner;
    expectFailure(await api.get(link), 'not_found');
    expectFailure(await api.post(link, {}), 'not_found');
    expectFailure(await api.delete(link), 'not_found');
    expect((await read(path)).status).toBe(200);
  });

  it('rejects an expiry in the past, and one that is no time', async () => {
    const past = { expiresAt: '2020-01-01T00:00:00Z' };
    expectFailure(await team.admin.api.post(link, past), 'invalid_request', [
      'expiresAt out_of_range',
    ]);
    const wrong = { expiresAt: 'tomorrow' };
    expectFailure(await team.admin.api.post(link, wrong), 'invalid_request', [
      'expiresAt invalid_format',
    ]);
  });

  it('is not created for a view that names a removed column', async () => {
    await team.admin.api.patch(`${datagrid}/views/${viewId}`, { sort: 'amount' });
    await team.admin.api.delete(`${datagrid}/columns/amount`);
    expectFailure(await team.admin.api.post(link, {}), 'conflict', ['view unknown_column']);
  });

  it('shows the time of its last use', async () => {
    const path = await share();
    dataOf(await read(path), 200);
    await eventually(async () => {
      const { lastUsedAt } = dataOf(await team.admin.api.get(link), 200);
      return lastUsedAt !== null && RFC3339.test(lastUsedAt as string);
    });
  });

  it('is in the audit log when it is created, replaced and revoked', async () => {
    await share();
    await share();
    expect((await team.admin.api.delete(link)).status).toBe(204);
    const sql = `SELECT action, target_kind, target_id, user_id, details->>'datagridId' AS datagrid
      FROM audit_events WHERE account_id = $1 AND action LIKE 'view_link%' ORDER BY id`;
    const { rows } = await app.sql.query(sql, [team.admin.accountId]);
    const event = {
      ...{ target_kind: 'view', target_id: viewId, user_id: team.admin.userId },
      datagrid: datagrid.slice('/datagrids/'.length),
    };
    const actions = ['created', 'revoked', 'created', 'revoked'];
    expect(rows).toEqual(actions.map((name) => ({ ...event, action: `view_link_${name}` })));
  });
});

describe('a token that does not work', () => {
  /** Returns what a reader sees, without what differs in every response. */
  const seen = ({ status, text, headers }: ApiResponse): object => ({
    status,
    text: text.replace(headers.get('x-request-id') ?? '', '').replace(/nonce="[^"]+"/, 'nonce'),
    names: [...headers.keys()].sort(),
  });

  /** Expects the same responses as for a token that never existed, from the page and the rows. */
  async function expectNothing(path: string): Promise<void> {
    for (const suffix of ['', '/rows', '/rows?cursor=x', '/rows?limit=5']) {
      const unknown = await anybody.get(`/shared/${'A'.repeat(43)}${suffix}`);
      const found = await anybody.get(path + suffix);
      expect(seen(found)).toEqual(seen(unknown));
      expect(found.status).toBe(404);
    }
    const rows = await read(path);
    expectFailure(rows, 'not_found');
    expect(rows.body.error.message).toBe('Link not found.');
  }

  it('is malformed', async () => {
    await expectNothing('/shared/x');
    await expectNothing(`/shared/${'%41'.repeat(43)}`);
  });

  it('was revoked, at once and on every instance', async () => {
    const other = await TestApp.start({ database: app.database });
    try {
      const path = await share();
      const there = new ApiClient(other.origin, undefined, '');
      dataOf(await there.get(`${path}/rows`), 200);
      expect((await team.admin.api.delete(link)).status).toBe(204);
      expectFailure(await there.get(`${path}/rows`), 'not_found');
      await expectNothing(path);
      expectFailure(await team.admin.api.get(link), 'not_found');
    } finally {
      await other.close();
    }
  });

  it('was replaced', async () => {
    const path = await share();
    const now = await share();
    await expectNothing(path);
    expect((await read(now)).status).toBe(200);
  });

  it('has expired', async () => {
    const path = await share({ expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
    expect((await read(path)).status).toBe(200);
    await app.sql.query("UPDATE view_links SET expires_at = now() - interval '1 second'");
    await expectNothing(path);
    expect(dataOf(await team.admin.api.get(link), 200)).toMatchObject({
      expiresAt: expect.stringMatching(RFC3339),
    });
  });

  it('belongs to a suspended account', async () => {
    const path = await share();
    const suspend = 'UPDATE accounts SET suspended = $2 WHERE id = $1';
    await app.sql.query(suspend, [team.owner.accountId, true]);
    await expectNothing(path);
    await app.sql.query(suspend, [team.owner.accountId, false]);
    expect((await read(path)).status).toBe(200);
  });

  it('is of a deleted view, which an editor may delete', async () => {
    const path = await share();
    expect((await team.editor.api.delete(`${datagrid}/views/${viewId}`)).status).toBe(204);
    await expectNothing(path);
    const { rowCount } = await app.sql.query('SELECT FROM view_links WHERE view_id = $1', [viewId]);
    expect(rowCount).toBe(0);
  });

  it('is of a datagrid in the trash, and works again once that is restored', async () => {
    const path = await share();
    const id = datagrid.slice('/datagrids/'.length);
    await team.admin.api.delete(datagrid);
    await expectNothing(path);
    expect((await team.admin.api.post(`/trash/${id}/restore`)).status).toBe(200);
    expect((await read(path)).status).toBe(200);
    await team.admin.api.delete(datagrid);
    expect((await team.admin.api.delete(`/trash/${id}`)).status).toBe(204);
    await expectNothing(path);
    await eventually(async () => {
      await app.nest.get(PurgeService, { strict: false }).runOnce();
      const left = 'SELECT FROM view_links WHERE datagrid_id = $1';
      return (await app.sql.query(left, [id])).rowCount === 0 || undefined;
    });
  });

  it('is of a datagrid whose workspace is in the trash', async () => {
    const path = await share();
    const { workspaceId } = dataOf(await team.admin.api.get(datagrid), 200) as {
      workspaceId: string;
    };
    const deleted = await team.admin.api.delete(`/workspaces/${workspaceId}?cascade=true`);
    expect(deleted.status).toBe(204);
    await expectNothing(path);
  });
});
