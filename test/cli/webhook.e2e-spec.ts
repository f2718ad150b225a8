import { eventually } from '../support/eventually';
import { dataOf, newDatagrid, newWebhook, newWorkspace, NO_ID, RFC3339 } from '../support/fixture';
import { type Member, TestApp } from '../support/test-app';
import { LOOPBACK_ALLOWED, WebhookReceiver } from '../support/webhook-receiver';
import { admin, adminError, adminJson, adminProcess } from './admin';

// Starting a program may take long.
jest.setTimeout(120_000);

let app: TestApp;
let receiver: WebhookReceiver;
let settings: { DATABASE_URL: string };

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  app = await TestApp.start({ settings: { ...LOOPBACK_ALLOWED, webhookRetrySeconds: [3600] } });
  settings = { DATABASE_URL: app.database.url };
});

afterAll(async () => {
  await app.close();
  await receiver.close();
});

interface Team {
  readonly owner: Member;
  readonly workspaceId: string;
  readonly works: string;
  readonly fails: string;
}

/** Makes two webhooks, one of which fails. */
async function newTeam(): Promise<Team> {
  const owner = await app.newAccount();
  const workspaceId = await newWorkspace(owner.api);
  const datagrid = await newDatagrid(owner.api, [], workspaceId);
  receiver.respond = (response, { path }) => {
    response.writeHead(path === '/works?token=secret' ? 204 : 500).end();
  };
  const route = `/workspaces/${workspaceId}/webhooks`;
  const add = async (path: string): Promise<string> =>
    dataOf(await owner.api.post(route, { url: `${receiver.url}${path}` }), 201).id;
  const [works, fails] = [await add('/works?token=secret'), await add('/fails?token=secret')];
  dataOf(await owner.api.post(`${datagrid}/rows`, { values: {} }), 201);
  const statuses = async (): Promise<string[]> => {
    const webhooks = dataOf(await owner.api.get(route), 200) as { status: string }[];
    return webhooks.map(({ status }) => status);
  };
  await eventually(async () => (await statuses()).join() === 'active,failing');
  await eventually(async () => {
    const { lastSuccessAt } = (await owner.api.get(`${route}/${works}`)).body.data;
    return lastSuccessAt !== null;
  });
  return { owner, workspaceId, works, fails };
}

describe('webhook list', () => {
  it('prints the webhooks of an account, those first whose events wait, without their URLs', async () => {
    const { owner, workspaceId, works, fails } = await newTeam();
    const { accountId } = owner;
    const args = ['webhook', 'list', '--account', accountId];
    const host = `127.0.0.1:${String(receiver.port)}`;
    const both = { accountId, workspaceId, host, disabledReason: null };
    const failing = {
      ...both,
      id: fails,
      status: 'failing',
      consecutiveFailures: 1,
      lastErrorAt: expect.stringMatching(RFC3339),
      lastError: 'The endpoint responded with 500.',
      oldestUndeliveredAt: expect.stringMatching(RFC3339),
    };
    const active = {
      ...both,
      id: works,
      status: 'active',
      consecutiveFailures: 0,
      lastErrorAt: null,
      lastError: null,
      oldestUndeliveredAt: null,
    };
    expect(await adminJson(settings, ...args)).toEqual({ webhooks: [failing, active], total: 2 });
    const onlyFailing = { webhooks: [failing], total: 1 };
    expect(await adminJson(settings, ...args, '--failing')).toEqual(onlyFailing);
    const ofWorkspace = ['webhook', 'list', '--workspace', workspaceId, '--limit', '1'];
    expect(await adminJson(settings, ...ofWorkspace)).toEqual({ webhooks: [failing], total: 2 });
    const { stdout } = await adminProcess(settings, ...ofWorkspace);
    expect(stdout).toMatch(
      new RegExp(`^${fails}  .*failing.*\\n1 more: use a greater --limit\\n$`),
    );
    expect(stdout).not.toContain('secret');
  });

  it('prints an empty list, and rejects what is no id', async () => {
    const { stdout } = await admin(settings, 'webhook', 'list', '--workspace', NO_ID);
    expect(stdout).toBe('No webhooks found.\n');
    const unknown = await adminError(settings, 'webhook', 'list', '--account', NO_ID);
    expect(unknown).toEqual({ code: 'not_found', message: `Account ${NO_ID} not found.` });
    const invalid = await adminError(settings, 'webhook', 'list', '--workspace', 'Orders');
    expect(invalid).toMatchObject({ code: 'invalid_request' });
  });
});

describe('webhook disable', () => {
  it('disables a webhook once, tells its account, and its account can enable it again', async () => {
    const { owner, workspaceId, works } = await newTeam();
    const disabled = { id: works, enabled: false, disabledReason: 'operator' };
    for (const run of [1, 2]) {
      const result = await adminJson(settings, 'webhook', 'disable', '--id', works);
      expect({ run, ...result }).toEqual({ run, ...disabled });
    }
    const route = `/workspaces/${workspaceId}/webhooks/${works}`;
    expect(dataOf(await owner.api.get(route), 200)).toMatchObject({
      status: 'disabled',
      ...disabled,
    });
    const events = await app.sql.query(
      "SELECT account_id, via, details FROM audit_events WHERE target_id = $1 AND action = 'webhook_disabled'",
      [works],
    );
    const { accountId } = owner;
    const event = { account_id: accountId, via: 'operator', details: { reason: 'operator' } };
    expect(events.rows).toEqual([event]);
    const enabled = dataOf(await owner.api.patch(route, { enabled: true }), 200);
    expect(enabled).toMatchObject({ status: 'active', disabledReason: null });
  });

  it('leaves the reason of a webhook that is disabled already', async () => {
    const { owner, workspaceId, works } = await newTeam();
    const route = `/workspaces/${workspaceId}/webhooks/${works}`;
    dataOf(await owner.api.patch(route, { enabled: false }), 200);
    const result = await adminJson(settings, 'webhook', 'disable', '--id', works);
    expect(result).toEqual({ id: works, enabled: false, disabledReason: 'user' });
  });

  it.each([NO_ID, 'hooks.example'])('reports that webhook %s was not found', async (id) => {
    expect(await adminError(settings, 'webhook', 'disable', '--id', id)).toEqual({
      code: 'not_found',
      message: `Webhook ${id} not found.`,
    });
  });
});

describe('webhook resync', () => {
  it('prints for how many webhooks and datagrids changes.gap is sent', async () => {
    const { api, accountId } = await app.newAccount();
    const workspaceId = await newWorkspace(api);
    for (const name of ['a', 'b']) await api.post(`/workspaces/${workspaceId}/datagrids`, { name });
    await newWebhook(api, workspaceId);
    const own = await adminJson(settings, 'webhook', 'resync', '--account', accountId);
    expect(own).toEqual({ webhooks: 1, datagrids: 2 });
    const other = await app.newAccount();
    const another = await newWorkspace(other.api);
    await newDatagrid(other.api, [], another);
    await newWebhook(other.api, another);
    const all = await adminJson(settings, 'webhook', 'resync');
    const { rows } = await app.sql.query(
      'SELECT count(DISTINCT webhook_id)::int AS webhooks, count(*)::int AS datagrids FROM webhook_lanes',
    );
    expect(all).toEqual(rows[0]);
    expect(all.webhooks).toBeGreaterThanOrEqual(2);
    const unknown = await adminError(settings, 'webhook', 'resync', '--account', NO_ID);
    expect(unknown).toEqual({ code: 'not_found', message: `Account ${NO_ID} not found.` });
  });
});
