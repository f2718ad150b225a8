import { DeliveryService } from '../../../src/webhooks/delivery/delivery.service';
import { FileBody } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { type Member, TestApp } from '../../support/test-app';
import { LOOPBACK_ALLOWED, type Received, WebhookReceiver } from '../../support/webhook-receiver';

const ROWS = 5_000;
const FILE = new FileBody(
  'text/csv',
  `n\n${Array.from({ length: ROWS }, (_, n) => n).join('\n')}\n`,
);

let app: TestApp;
let owner: Member;
let receiver: WebhookReceiver;

beforeAll(async () => {
  app = await TestApp.start({ settings: { ...LOOPBACK_ALLOWED, IMPORT_BATCH_ROWS: String(ROWS) } });
  owner = await app.newAccount();
  receiver = await WebhookReceiver.start();
});

afterAll(async () => {
  await receiver.close();
  await app.close();
});

const idsOf = (events: readonly Received[]): number[] =>
  events.flatMap(({ body }) => body.data.rowIds as number[]);

describe('a webhook with a payload of 5,000 rows', () => {
  it.each(['full', 'thin'])(
    'sends a write and a deletion as events of 1,000 ids: %s',
    async (payload) => {
      const workspaceId = await newWorkspace(owner.api);
      const datagrid = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }], workspaceId);
      const url = `${receiver.url}/${payload}`;
      dataOf(await owner.api.post(`/workspaces/${workspaceId}/webhooks`, { url, payload }), 201);
      // Without webhooks, the service does not hear of changes before its next poll.
      await app.nest.get(DeliveryService, { strict: false }).runOnce();
      dataOf(await owner.api.post(`${datagrid}/rows/import`, FILE), 201);
      dataOf(await owner.api.post(`${datagrid}/rows/delete`, { filter: {} }), 200);
      const all = await eventually(() => {
        const received = receiver.at(`/${payload}`);
        return idsOf(received).length >= 2 * ROWS && received;
      });
      const every = Array.from({ length: ROWS }, (_, index) => index + 1);
      for (const type of ['rows.created', 'rows.deleted']) {
        const events = all.filter(({ body }) => body.type === type);
        expect(idsOf(events)).toEqual(every);
        const first = events[0]?.body.data as { fromRevision: number; revision: number };
        for (const [index, { body, text }] of events.entries()) {
          expect(body.data).toMatchObject({
            fromRevision: first.fromRevision,
            revision: first.revision,
            rowCount: 1_000,
            part: { number: index + 1, count: 5 },
          });
          expect(body.data.rows).toBe(
            payload === 'full' && type === 'rows.created' ? null : undefined,
          );
          expect(text.length).toBeLessThan(10_000);
        }
        expect(new Set(events.map(({ headers }) => headers['webhook-id'])).size).toBe(5);
      }
    },
  );
});
