import { Database } from '../../../src/platform/database/database';
import type { Statement } from '../../../src/platform/database/text-query';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid, newTeam, newWorkspace, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { LOOPBACK_ALLOWED, WebhookReceiver } from '../../support/webhook-receiver';

const DATAGRIDS = 12;

let app: TestApp;
let receiver: WebhookReceiver;
let team: Team;
let hook: string;
let datagrids: string[];

beforeAll(async () => {
  // A change of the webhook waits for attempts in progress as long as they can take.
  const settings = { ...LOOPBACK_ALLOWED, webhookTimeoutSeconds: 1 };
  app = await TestApp.start({ settings });
  receiver = await WebhookReceiver.start();
});

beforeEach(async () => {
  team = await newTeam(app);
  const { api } = team.owner;
  const workspace = await newWorkspace(api);
  datagrids = [];
  for (let n = 0; n < DATAGRIDS; n += 1) {
    datagrids.push(await newDatagrid(api, [{ key: 'n', type: 'integer' }], workspace));
  }
  const route = `/workspaces/${workspace}/webhooks`;
  const created = dataOf(await api.post(route, { url: `${receiver.url}/${workspace}` }), 201);
  hook = `${route}/${String(created.id)}`;
});

afterEach(() => {
  jest.restoreAllMocks();
});

afterAll(async () => {
  await app.close();
  await receiver.close();
});

async function addRows(): Promise<void> {
  for (const datagrid of datagrids) {
    dataOf(await team.owner.api.post(`${datagrid}/rows`, { values: { n: 1 } }), 201);
  }
}

const replay = async (body: object): Promise<unknown> =>
  dataOf(await team.owner.api.post(`${hook}/replay`, body), 200);

/** Returns the number of events that wait, as the lanes and as the events say. */
async function waiting(): Promise<[lanes: number, events: number]> {
  const id = hook.slice(-36);
  const { rows } = await app.sql.query<{ lanes: number; events: number }>(
    `SELECT (SELECT sum(last_event - last_delivered)::int FROM webhook_lanes WHERE webhook_id = $1)
        AS lanes,
      (SELECT count(*)::int FROM webhook_events WHERE webhook_id = $1) AS events`,
    [id],
  );
  return [rows[0]?.lanes ?? NaN, rows[0]?.events ?? NaN];
}

describe('a replay of many datagrids', () => {
  it('runs as many statements as one of a single datagrid, and locks lanes after all reads', async () => {
    const since = new Date().toISOString();
    dataOf(await team.owner.api.patch(hook, { events: ['columns.changed'] }), 200);
    await addRows();
    await eventually(async () => {
      const { rows } = await app.sql.query<{ unread: number }>(
        'SELECT count(*)::int AS unread FROM webhook_lanes WHERE webhook_id = $1 AND revision < 1',
        [hook.slice(-36)],
      );
      return rows[0]?.unread === 0;
    });
    dataOf(await team.owner.api.patch(hook, { enabled: false }), 200);
    const run = jest.spyOn(app.nest.get(Database), 'run');
    const names = (): string[] =>
      run.mock.calls
        .splice(0)
        .map(([{ name }]: [Statement, ...unknown[]]) => name)
        .filter((name) => /^webhook-(?:log-positions|lanes)/.test(name));
    const datagridId = datagrids[0]?.slice('/datagrids/'.length);
    expect(await replay({ since, datagridId })).toEqual({ datagrids: 1 });
    const single = names();
    expect(await replay({ since })).toEqual({ datagrids: DATAGRIDS - 1 });
    expect(names()).toEqual(single);
    expect(single).toEqual([
      'webhook-lanes-list',
      'webhook-log-positions-at',
      'webhook-lanes-lock',
      'webhook-lanes-move-back',
    ]);
  });

  it('replaces the events that wait, and delivers each change once more', async () => {
    const since = new Date().toISOString();
    receiver.respond = (response) => void response.writeHead(500).end();
    await addRows();
    await eventually(async () => (await waiting())[1] > 0);
    dataOf(await team.owner.api.patch(hook, { enabled: false }), 200);
    await replay({ since });
    expect(await waiting()).toEqual([0, 0]);
    receiver.respond = (response) => void response.writeHead(204).end();
    const path = `/${hook.split('/')[2] ?? ''}`;
    const before = receiver.at(path).length;
    dataOf(await team.owner.api.patch(hook, { enabled: true }), 200);
    await eventually(() => receiver.at(path).length >= before + DATAGRIDS);
    const delivered = receiver.at(path).slice(before);
    const ids = delivered.map(({ body }) => `/datagrids/${String(body.data.datagridId)}`);
    expect(ids.sort()).toEqual([...datagrids].sort());
  });
});
