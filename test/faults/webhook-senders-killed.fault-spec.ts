import { eventually } from '../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../support/fixture';
import {
  LOOPBACK_ALLOWED,
  type Received,
  verify,
  WebhookReceiver,
} from '../support/webhook-receiver';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { printFigures } from './support/figures';
import { sampleSize, draw } from '../support/samples';
import { newOwner, type Owner } from './support/owner';
import { Replicas } from './support/replicas';
import { SEED } from '../support/seeded-random';

const INSTANCES = 3;
const KILLED = draw([0, 1, 2], sampleSize({ few: 2, all: INSTANCES }));
/** Clients that write to each datagrid. */
const WRITERS = 3;

/** A lease ends 12 s after a kill. */
const SETTINGS = {
  ...LOOPBACK_ALLOWED,
  webhookTimeoutSeconds: 1,
  webhookRetrySeconds: [0.05],
};

let database: TestDatabase;
let replicas: Replicas;
let owner: Owner;
let receiver: WebhookReceiver;

beforeAll(async () => {
  database = await createTestDatabase();
  replicas = await Replicas.start(INSTANCES, { DATABASE_URL: database.url, ...SETTINGS });
  owner = await newOwner(database.url);
  receiver = await WebhookReceiver.start();
});

afterAll(async () => {
  await receiver.close();
  await replicas.kill();
  await database.drop();
});

/** Returns what is wrong with the deliveries of one datagrid, and the number of repeated ones. */
function check(received: readonly Received[]): { wrong: string[]; repeated: number } {
  const wrong: string[] = [];
  let repeated = 0;
  let last: Received | undefined;
  for (const each of received) {
    const { fromRevision, revision } = each.body.data as Record<string, number>;
    const lastRevision: unknown = last ? last.body.data.revision : 0;
    if (each.headers['webhook-id'] === last?.headers['webhook-id']) {
      repeated += 1;
      if (each.text !== last?.text) wrong.push(`other bytes at ${String(revision)}`);
    } else if (fromRevision !== lastRevision) {
      wrong.push(`${String(fromRevision)} to ${String(revision)} after ${String(lastRevision)}`);
    }
    last = each;
  }
  return { wrong, repeated };
}

it('loses no event and reorders none in a datagrid if instances are killed while they send', async () => {
  const api = replicas.api(0, owner.key);
  const workspaceId = await newWorkspace(api);
  const columns = [{ key: 'n', type: 'integer' }];
  const grids = [
    await newDatagrid(api, columns, workspaceId),
    await newDatagrid(api, columns, workspaceId),
  ];
  const created = await api.post(`/workspaces/${workspaceId}/webhooks`, { url: receiver.url });
  const secret = String(dataOf(created, 201).secret);
  let count = 0;
  receiver.respond = (response) => {
    count += 1;
    // Some attempts fail, and every response takes a moment in which a sender can be killed.
    const status = count % 11 === 0 ? 503 : 204;
    setTimeout(() => response.writeHead(status).end(), 5);
  };
  let isWriting = true;
  const acknowledged = new Map(grids.map((grid) => [grid, 0]));
  const write = async (grid: string, writer: number): Promise<void> => {
    for (let n = writer; isWriting; n += 1) {
      const response = await replicas
        .api(n % INSTANCES, owner.key)
        .post(`${grid}/rows`, { values: { n } })
        .catch(() => null);
      if (response?.status === 201) acknowledged.set(grid, (acknowledged.get(grid) ?? 0) + 1);
    }
  };
  const writers = grids.flatMap((grid) =>
    Array.from({ length: WRITERS }, (_, writer) => write(grid, writer)),
  );
  for (const index of KILLED) {
    const before = receiver.received.length;
    await eventually(() => receiver.received.length >= before + 30, 60_000);
    await replicas.get(index).stop('SIGKILL');
    await replicas.restart(index);
  }
  isWriting = false;
  await Promise.all(writers);
  let repeated = 0;
  for (const grid of grids) {
    const { id, revision, rowCount } = dataOf(await api.get(grid), 200);
    const ofGrid = (): Received[] =>
      receiver.received.filter(({ body }) => body.data.datagridId === id);
    await eventually(() => ofGrid().at(-1)?.body.data.revision === revision, 60_000);
    const checked = check(ofGrid());
    expect(checked.wrong).toEqual([]);
    repeated += checked.repeated;
    const ids = new Set(ofGrid().flatMap(({ body }) => body.data.rowIds as number[]));
    expect(ids.size).toBe(rowCount);
    expect(ids.size).toBeGreaterThanOrEqual(acknowledged.get(grid) ?? 0);
  }
  for (const each of receiver.received) verify(secret, each);
  printFigures('kill -9 of instances that send webhooks', {
    seed: SEED,
    killed: KILLED.join(', '),
    deliveries: receiver.received.length,
    repeated,
    'acknowledged rows': [...acknowledged.values()].reduce((sum, each) => sum + each, 0),
  });
});
