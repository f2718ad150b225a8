import { expectFailure } from '../../support/failure';
import { dataOf, newTeam, newWorkspace, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { LOOPBACK_ALLOWED, WebhookReceiver } from '../../support/webhook-receiver';

const TEST_LIMIT = 4;

let app: TestApp;
let receiver: WebhookReceiver;
let team: Team;
let route: string;

beforeAll(async () => {
  app = await TestApp.start({
    settings: { ...LOOPBACK_ALLOWED, webhookTestLimit: TEST_LIMIT },
  });
  receiver = await WebhookReceiver.start();
});

beforeEach(async () => {
  team = await newTeam(app);
  route = `/workspaces/${await newWorkspace(team.owner.api)}/webhooks`;
});

afterAll(async () => {
  await app.close();
  await receiver.close();
});

async function newHook(url: string): Promise<string> {
  return `${route}/${String(dataOf(await team.owner.api.post(route, { url }), 201).id)}`;
}

describe('a tenant who attacks with webhooks', () => {
  it('limits the test events of an account in a minute, whichever webhook and key is used, and those of no other account', async () => {
    const hooks = [await newHook(`${receiver.url}/a`), await newHook(`${receiver.url}/b`)];
    const clients = [team.owner.api, team.admin.api];
    const statuses: number[] = [];
    for (let n = 0; n < TEST_LIMIT + 2; n += 1) {
      const response = await clients[n % 2]?.post(`${hooks[n % 2] ?? ''}/test`);
      statuses.push(response?.status ?? 0);
    }
    const accepted = Array.from({ length: TEST_LIMIT }, () => 200);
    expect(statuses).toEqual([...accepted, 429, 429]);
    const limited = await team.owner.api.post(`${hooks[0] ?? ''}/test`);
    expectFailure(limited, 'rate_limited');
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(receiver.received).toHaveLength(TEST_LIMIT);
    team = await newTeam(app);
    route = `/workspaces/${await newWorkspace(team.owner.api)}/webhooks`;
    const other = await newHook(`${receiver.url}/c`);
    expect((await team.owner.api.post(`${other}/test`)).status).toBe(200);
  });

  it.each([
    [
      'http://93.184.215.14/',
      'invalid_format',
      'must start with https://, unless it leads to an address that the operator allows in WEBHOOK_ALLOWED_PRIVATE_RANGES',
    ],
    [
      'http://10.0.0.1/',
      'forbidden_address',
      'must not lead to a private, local or reserved address, unless the operator allows it in WEBHOOK_ALLOWED_PRIVATE_RANGES',
    ],
    [
      'http://[fd00::1]/',
      'forbidden_address',
      'must not lead to a private, local or reserved address, unless the operator allows it in WEBHOOK_ALLOWED_PRIVATE_RANGES',
    ],
  ])('cannot add %s, which is outside the allowed ranges', async (url, code, message) => {
    const failed = await team.owner.api.post(route, { url });
    expectFailure(failed, 'invalid_request', [`url ${code}`]);
    expect(failed.body.error.details[0].message).toBe(message);
  });

  it('reaches no webhook of another account or workspace, by any route', async () => {
    const hook = await newHook(receiver.url);
    const id = hook.slice(-36);
    const stranger = await newTeam(app);
    const strangers = `/workspaces/${await newWorkspace(stranger.owner.api)}/webhooks/${id}`;
    const own = `/workspaces/${await newWorkspace(team.owner.api)}/webhooks/${id}`;
    const since = { since: new Date().toISOString() };
    const before = receiver.received.length;
    for (const [api, path] of [
      [stranger.owner.api, hook],
      [stranger.owner.api, strangers],
      [team.owner.api, own],
    ] as const) {
      const responses = await Promise.all([
        api.get(path),
        api.get(`${path}/deliveries`),
        api.patch(path, { enabled: false }),
        api.delete(path),
        api.post(`${path}/rotate`),
        api.post(`${path}/test`),
        api.post(`${path}/replay`, since),
      ]);
      for (const response of responses) expectFailure(response, 'not_found');
    }
    expect(dataOf(await team.owner.api.get(hook), 200).enabled).toBe(true);
    expect(receiver.received).toHaveLength(before);
  });

  it('cannot add headers to a delivery, and the query of the URL arrives as it was given', async () => {
    const path = '/a?x=%0d%0ahost:%20evil&y=%00';
    const hook = await newHook(`${receiver.url}${path}`);
    expect(dataOf(await team.owner.api.post(`${hook}/test`), 200).status).toBe(204);
    const [received] = receiver.at(path);
    expect(received?.headers['host']).toBe(`127.0.0.1:${String(receiver.port)}`);
    expect(Object.keys(received?.headers ?? {}).sort()).toEqual([
      'connection',
      'content-length',
      'content-type',
      'host',
      'user-agent',
      'webhook-id',
      'webhook-signature',
      'webhook-timestamp',
    ]);
  });
});
