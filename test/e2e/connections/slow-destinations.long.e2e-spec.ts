import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Destination, TargetWriter } from '../../../src/destinations/destination';
import type { DestinationAccess } from '../../../src/destinations/destination-kind';
import type { Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { FakeKind, FAKE_SETTINGS } from '../../support/fake-destination';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { type Member, TestApp } from '../../support/test-app';
import { ALLOW_LOCAL, expectEqual, listRows, Warehouse } from './warehouse';

const COLUMNS = [{ key: 'name', type: 'text' }];
const TURN_SECONDS = 30;
/** Time after which a run is slow and frees its slot. */
const SLOW_SECONDS = 20;
/** With one slot, there are so many places, each for another account. */
const PLACES = 4;
/** Less than the service waits for a response of a catalog. */
const RESPONSE_MS = 45_000;

jest.setTimeout(400_000);

/** Sends one byte a second, and the end after a while. */
function drip(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  const endsAtMs = performance.now() + RESPONSE_MS;
  const timer = setInterval(() => {
    response.write(' ');
    if (performance.now() >= endsAtMs) response.end('{}');
  }, 1_000);
  response.on('close', () => {
    clearInterval(timer);
  });
}

interface Synced {
  readonly owner: Member;
  readonly datagrid: string;
  readonly connection: string;
}

async function newSynced(app: TestApp, target: Json): Promise<Synced> {
  const owner = await app.newAccount();
  const workspace = await newWorkspace(owner.api);
  const datagrid = await newDatagrid(owner.api, COLUMNS, workspace);
  dataOf(await owner.api.post(`${datagrid}/rows`, { values: { name: 'First' } }), 201);
  const connections = `/workspaces/${workspace}/connections`;
  const { id } = dataOf(await owner.api.post(connections, { name: 'A', ...target }), 201);
  return { owner, datagrid, connection: `${connections}/${String(id)}` };
}

async function tableOf({ owner, connection }: Synced): Promise<Json> {
  const [table] = dataOf(await owner.api.get(`${connection}/tables`), 200) as [Json];
  return table;
}

it('accounts whose catalogs send one byte a second keep all places, and another account gets its turn', async () => {
  const catalog = createServer((request, response) => {
    drip(response, request.url?.includes('/tables/') === true ? 404 : 200);
  }).listen(0, '127.0.0.1');
  await once(catalog, 'listening');
  const { port } = catalog.address() as AddressInfo;
  const warehouse = await Warehouse.start();
  const app = await TestApp.start({
    settings: {
      ...ALLOW_LOCAL,
      MAX_CONCURRENT_SYNCS: '1',
      slowSyncTurnSeconds: TURN_SECONDS,
    },
  });
  try {
    const slow: Synced[] = [];
    for (let n = 0; n < PLACES; n += 1) {
      const settings = { uri: `http://127.0.0.1:${String(port)}`, namespace: 'sales' };
      slow.push(await newSynced(app, { type: 'iceberg', settings, intervalSeconds: 300 }));
    }
    const runs = 'SELECT FROM connection_tables WHERE leased_until > now()';
    const patienceMs = (PLACES * SLOW_SECONDS + 60) * 1_000;
    const isFull = async (): Promise<boolean> => (await app.sql.query(runs)).rowCount === PLACES;
    await eventually(isFull, patienceMs, 250);

    const settings = warehouse.settings('own');
    const synced = await newSynced(app, {
      type: 'postgresql',
      settings,
      secret: warehouse.password,
    });
    const { name } = await tableOf(synced);
    await eventually(async () => (await tableOf(synced)).syncedAt !== null, 120_000, 250);
    await expectEqual(warehouse, 'own', name, () => listRows(synced.owner.api, synced.datagrid));

    const errors = (await Promise.all(slow.map(tableOf))).map(({ lastError }) => lastError);
    expect(errors).toContain(
      'The destination took more than 30 seconds for a step, while syncs of other accounts waited. Check its load and the network. The sync is retried.',
    );
  } finally {
    await app.close();
    catalog.closeAllConnections();
    catalog.close();
    await warehouse.close();
  }
});

/** A destination that takes the first lines, and never asks for more. */
class StuckKind extends FakeKind {
  override create(target: DestinationAccess): Destination {
    const nothing = (): Promise<void> => Promise.resolve();
    const writer: Partial<TargetWriter> = {
      claim: () => Promise.resolve(null),
      beginLoad: nothing,
      append: async (_columns, rows) => {
        await rows[Symbol.asyncIterator]().next();
        await new Promise(() => undefined);
      },
      close: nothing,
    };
    return { ...super.create(target), open: () => Promise.resolve(writer as TargetWriter) };
  }
}

it('a sync fails if its destination accepts no rows for 60 seconds', async () => {
  const app = await TestApp.start({ kinds: { postgresql: new StuckKind(true) } });
  try {
    const synced = await newSynced(app, { type: 'postgresql', settings: FAKE_SETTINGS });
    const lastError = await eventually(
      async () => ((await tableOf(synced)).lastError as string | null) ?? undefined,
      90_000,
      250,
    );
    expect(lastError).toMatch(/^The destination accepted no rows for 60 seconds\. /);
  } finally {
    await app.close();
  }
});
