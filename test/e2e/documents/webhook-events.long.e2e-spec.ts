import { join } from 'node:path';
import { LaneSetRepository } from '../../../src/webhooks/lane-set.repository';
import { WebhookResyncService } from '../../../src/webhooks/webhook-resync.service';
import { EVENT_TYPES } from '../../../src/webhooks/event-type';
import { readPages } from '../../support/document/pages';
import { Placeholders } from '../../support/document/placeholders';
import { storyOf } from '../../support/document/story';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { LOOPBACK_ALLOWED, type Received, WebhookReceiver } from '../../support/webhook-receiver';

const deliveries = readPages(join(__dirname, '../../../docs/api')).flatMap(
  ({ text }) => storyOf(text).deliveries,
);

/** Headers whose values differ with each delivery. */
const FORMS: Readonly<Record<string, RegExp>> = {
  'webhook-id': /^msg_[0-9a-f]{32}$/,
  'webhook-timestamp': /^\d{10}$/,
  'webhook-signature': /^v1,[A-Za-z0-9+/]{43}=$/,
};
/** Headers of HTTP, which are not shown. */
const NOT_SHOWN = new Set(['host', 'connection', 'content-length']);

let app: TestApp;
let receiver: WebhookReceiver;

beforeAll(async () => {
  app = await TestApp.start({ settings: LOOPBACK_ALLOWED });
  receiver = await WebhookReceiver.start();
});

afterAll(async () => {
  await receiver.close();
  await app.close();
});

/** Makes a datagrid with one event of each kind. @returns the deliveries in order. */
async function receiveAll(): Promise<Received[]> {
  const { api, accountId } = await app.newAccount();
  const workspaceId = await newWorkspace(api);
  const columns = [
    { key: 'name', type: 'text' },
    { key: 'height', type: 'integer' },
  ];
  const datagrid = await newDatagrid(api, columns, workspaceId);
  const webhooks = `/workspaces/${workspaceId}/webhooks`;
  const { id } = dataOf(await api.post(webhooks, { url: `${receiver.url}/datagrid` }), 201);
  const webhook = `${webhooks}/${String(id)}`;
  const resync = new WebhookResyncService(app.nest.get(LaneSetRepository, { strict: false }));
  const addRow = (): Promise<unknown> =>
    api.post(`${datagrid}/rows`, { values: { name: 'Dom', height: 4546 } });
  const steps = [
    addRow,
    () => api.patch(`${datagrid}/rows/1`, { values: { height: 4545 } }),
    () => api.delete(`${datagrid}/rows/1`),
    () => api.post(`${datagrid}/columns`, { key: 'country', type: 'text' }),
    () => api.delete(datagrid),
    () => api.post(`/trash/${datagrid.slice('/datagrids/'.length)}/restore`),
    async () => {
      await api.patch(webhook, { enabled: false });
      await addRow();
      await resync.resync(accountId);
      await api.patch(webhook, { enabled: true });
    },
    () => api.post(`${webhook}/test`),
  ];
  for (const [index, step] of steps.entries()) {
    await step();
    await eventually(() => receiver.received.length === index + 1);
  }
  return receiver.received;
}

describe('the examples of events in docs/api', () => {
  it('are what the service sends, with these headers, one for each type of event', async () => {
    const placeholders = new Placeholders({});
    const received = await receiveAll();
    const sent = received.map(({ path, headers, body }, index) => {
      const shown = deliveries[index];
      const values = Object.entries(headers).flatMap(([name, value]) => {
        if (NOT_SHOWN.has(name)) return [];
        const form = FORMS[name];
        const shownValue = shown?.headers[name] ?? '';
        return [[name, form?.test(value) && form.test(shownValue) ? shownValue : value] as const];
      });
      return {
        requestLine: `POST ${path} HTTP/1.1`,
        headers: Object.fromEntries(values),
        body: placeholders.body(shown?.body, body, null),
      };
    });
    expect(sent).toEqual(deliveries);
    expect(received.map(({ body }) => String(body.type))).toEqual(EVENT_TYPES);
  });
});
