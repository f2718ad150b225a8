import { once, setMaxListeners } from 'node:events';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { newOwner } from '../faults/support/owner';
import { quantile } from '../faults/support/quantile';
import { printFigures } from '../faults/support/figures';
import { API, ApiClient, FileBody } from '../support/api-client';
import { dataOf, newDatagrid, newWorkspace } from '../support/fixture';
import { LOOPBACK_ALLOWED } from '../support/webhook-receiver';
import { type Arena, type Attacker, hammer, IS_MEASURED, sized, startArena } from './support/arena';
import { type Received, Subscriber } from './support/subscriber';

/** The maximum of one account. */
const WEBHOOKS = sized(50, 20);
const DATAGRIDS = sized(200, 16);
/** Rows of the datagrid whose changes are read from the beginning. */
const ROWS = sized(50_000, 2_000);
const STREAMS = sized(200, 40);
const LONG_POLLS = sized(200, 40);
const KEYS = 8;
const FOR_MS = 30_000;
/** A delivery or an event takes about a second if another instance has written the row. */
const MAX_P99_MS = 4_000;
/** Rows of each subscriber that must have arrived before the attack ends. */
const ARRIVED = 8;

// One signal ends all streams of the attack.
setMaxListeners(0);

let arena: Arena;
let subscriber: Subscriber;
/** Its webhook is created during the attack, and has had no delivery. */
let newcomer: Subscriber | undefined;
let newcomerKey: string;
let receiver: Worker;
let receiverUrl: string;
/** Deliveries to the attacker's endpoints, by their kind. */
let deliveries: Readonly<Record<string, number>> = { dead: 0 };

beforeAll(async () => {
  arena = await startArena(LOOPBACK_ALLOWED);
  const { key } = await newOwner(arena.databaseUrl);
  subscriber = await Subscriber.create(apiOf(0, key), arena.origins, key);
  newcomerKey = (await newOwner(arena.databaseUrl)).key;
  receiver = new Worker(join(__dirname, 'support', 'hostile-receiver.mjs'));
  const [{ port }] = (await once(receiver, 'message')) as [{ port: number }];
  receiver.on('message', (message: { deliveries: Record<string, number> }) => {
    ({ deliveries } = message);
  });
  receiverUrl = `http://127.0.0.1:${String(port)}`;
}, 240_000);

afterAll(async () => {
  await subscriber.stop();
  await newcomer?.stop();
  await receiver.terminate();
  await arena.stop();
});

const apiOf = (instance: number, key: string): ApiClient =>
  new ApiClient(arena.origins[instance] ?? '', key);

/** Reads a stream of changes, or waits for changes, again and again until the attack ends. */
function follow(attacker: Attacker, key: string, n: number, path: string, accept: string): void {
  const { origins, signal } = attacker;
  if (signal.aborted) return;
  const again = (): void => {
    setTimeout(() => {
      follow(attacker, key, n, path, accept);
    }, 50);
  };
  const headers = { accept, authorization: `Bearer ${key}` };
  const sent = get(`${origins[n % origins.length] ?? ''}${API}${path}`, { headers, signal });
  sent.on('error', again);
  sent.on('response', (response) => {
    response.on('error', () => undefined).on('end', again);
    response.resume();
  });
}

const p99 = (times: readonly number[]): number => quantile(times, 0.99);

function print(title: string, { deliveryMs, tailMs, rejected }: Received): void {
  printFigures(title, {
    rows: deliveryMs.length,
    rejected: rejected.length,
    'delivery p50 ms': quantile(deliveryMs, 0.5),
    'delivery p99 ms': p99(deliveryMs),
    'live tail p50 ms': quantile(tailMs, 0.5),
    'live tail p99 ms': p99(tailMs),
  });
}

it('serves, delivers to and streams to other accounts while one account uses feeds and webhooks at full load', async () => {
  if (IS_MEASURED) print('subscriber, idle', await subscriber.during(() => delay(8_000)));
  let log = '';
  const grids: string[] = [];
  let keys: readonly string[] = [];
  let hasArrived = false;
  const received: Received[] = [];
  await arena.run('feeds and webhooks at full load', {
    forMs: FOR_MS,
    hasBegun: () => hasArrived && Math.min(...Object.values(deliveries)) > 0,
    mayEndFirst: true,
    prepare: async (attacker) => {
      const api = attacker.api(0);
      log = await newDatagrid(api, [{ key: 'text', type: 'text' }]);
      const line = `{"text":"${'a'.repeat(100)}"}\n`;
      const file = new FileBody('application/x-ndjson', line.repeat(ROWS));
      dataOf(await api.post(`${log}/rows/import`, file), 201);
      const workspaceId = await newWorkspace(api);
      keys = await attacker.newKeys(KEYS);
      const clients = keys.map((key) => apiOf(0, key));
      for (let n = 0; n < DATAGRIDS; n += KEYS) {
        const some = clients.map((client) =>
          newDatagrid(client, [{ key: 'n', type: 'integer' }], workspaceId),
        );
        grids.push(...(await Promise.all(some)));
      }
      const kinds = ['dead', 'slow', 'endless', 'failing', 'working'];
      for (let n = 0; n < WEBHOOKS; n += 1) {
        const url = `${receiverUrl}/${kinds[n % kinds.length] ?? ''}/${String(n)}`;
        dataOf(await api.post(`/workspaces/${workspaceId}/webhooks`, { url }), 201);
      }
    },
    run: async (attacker) => {
      const keyOf = (n: number): string => keys[n % KEYS] ?? '';
      const gridOf = (n: number): string => grids[n % grids.length] ?? '';
      for (let n = 0; n < STREAMS; n += 1) {
        const path = `${gridOf(n)}/changes?cursor=latest`;
        follow(attacker, keyOf(n), n, path, 'text/event-stream');
      }
      for (let n = 0; n < LONG_POLLS; n += 1) {
        const path = `${gridOf(n)}/changes?cursor=latest&wait=30`;
        follow(attacker, keyOf(n), n, path, 'application/json');
      }
      for (let n = 0; n < 8; n += 1) {
        follow(attacker, keyOf(n), n, `${log}/changes`, 'application/x-ndjson');
      }
      const write = hammer(attacker, 16, (client, turn) =>
        attacker
          .attack(client % 2, keyOf(client))
          .post(`${gridOf(client + turn * 16)}/rows`, { values: { n: turn } }),
      );
      const read = hammer(attacker, 8, (client) =>
        attacker.attack(client % 2, keyOf(client)).get(`${log}/changes?limit=1000`),
      );
      newcomer = await Subscriber.create(apiOf(1, newcomerKey), arena.origins, newcomerKey);
      const attacked = [subscriber, newcomer].map((each) =>
        each.during(() => Promise.all([write, read])),
      );
      await Promise.all([subscriber, newcomer].map((each) => each.untilArrived(ARRIVED)));
      hasArrived = true;
      received.push(...(await Promise.all(attacked)));
      const named = (
        name: string,
        counts: Readonly<Record<string, number>>,
      ): Record<string, number> =>
        Object.fromEntries(Object.entries(counts).map(([key, count]) => [`${name} ${key}`, count]));
      return {
        ...named('writes', await write),
        ...named('reads', await read),
        ...named('deliveries', deliveries),
      };
    },
  });
  for (const each of IS_MEASURED ? received : []) print('subscriber, under attack', each);
  expect(Math.min(...Object.values(deliveries))).toBeGreaterThan(0);
  expect(received).toHaveLength(2);
  for (const { rejected, deliveryMs, tailMs } of received) {
    expect(rejected).toEqual([]);
    expect(deliveryMs.length).toBeGreaterThan(IS_MEASURED ? 50 : ARRIVED - 1);
    // Every row arrived.
    const maxMs = IS_MEASURED ? MAX_P99_MS : Infinity;
    expect(p99(deliveryMs)).toBeLessThan(maxMs);
    expect(p99(tailMs)).toBeLessThan(maxMs);
  }
}, 300_000);
