import { isDeepStrictEqual } from 'node:util';
import { ALLOW_LOCAL, listRows, Warehouse } from '../e2e/connections/warehouse';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../support/fixture';
import { withClient } from '../support/database-url';
import { printFigures } from './support/figures';
import { Loader } from './support/loader';
import { MIXED_COLUMNS, MixedWrites } from './support/mixed-writes';
import { PostgresServer } from './support/postgres-server';
import { newOwner, Replicas, type Owner } from './support/replicas';

const INSTANCES = 2;
/** `KILLS=50` takes five minutes. */
const KILLS = Number(process.env['KILLS'] ?? '12');
const INITIAL_ROWS = 20_000;
/** A kill comes at a random time within this one after the last one. */
const MAX_PAUSE_MS = 600;
/** One kill of so many comes during a new load. */
const RESET_EVERY = 4;
const PATIENCE_MS = 60_000;

let postgres: PostgresServer;
let replicas: Replicas;
let owner: Owner;
let warehouse: Warehouse;

beforeAll(async () => {
  postgres = await PostgresServer.start();
  replicas = await Replicas.start(INSTANCES, { DATABASE_URL: postgres.url, ...ALLOW_LOCAL });
  owner = await newOwner(postgres.url);
  warehouse = await Warehouse.on(postgres.url);
});

afterAll(async () => {
  await replicas.kill();
  await warehouse.close();
  await postgres.remove();
});

const sql = (text: string): Promise<unknown> =>
  withClient(postgres.url, (client) => client.query(text));

/** Lets any instance claim the table at once, also if another one still works on it. */
const letOthersClaim = (request: string): Promise<unknown> =>
  sql(`UPDATE connection_tables SET leased_until = now(), next_run_at = now() ${request}`);

it('loses and doubles no row in a PostgreSQL while workers are killed and robbed of their claims', async () => {
  const seed = Date.now() % 1_000_000;
  const api = replicas.api(0, owner.key);
  const workspace = await newWorkspace(api);
  const datagrid = await newDatagrid(api, MIXED_COLUMNS, workspace);
  for (let n = 0; n < INITIAL_ROWS; n += 1_000) {
    const rows = Array.from({ length: 1_000 }, (_, index) => ({
      values: { note: `Note ${String(index)}` },
    }));
    dataOf(await api.post(`${datagrid}/rows`, { rows }), 201);
  }
  const schema = 'killed';
  const connection = { name: 'Warehouse', type: 'postgresql', secret: warehouse.password };
  const settings = warehouse.settings(schema);
  const connections = `/workspaces/${workspace}/connections`;
  dataOf(await api.post(connections, { ...connection, settings }), 201);
  const [{ name }] = dataOf(
    await api.get(`${connections}/${await onlyId(connections)}/tables`),
    200,
  );

  const writes = new MixedWrites(datagrid, seed);
  const random = new MixedWrites(datagrid, seed + 1);
  const loader = new Loader({
    origins: replicas.origins,
    key: owner.key,
    clients: 4,
    next: () => writes.next(),
  });
  for (let kill = 0; kill < KILLS; kill += 1) {
    const isReset = kill % RESET_EVERY === 0;
    await letOthersClaim(isReset ? ", request = 'reset'" : '');
    const pauseMs = random.below(MAX_PAUSE_MS);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const index = random.below(INSTANCES);
    await replicas.get(index).stop('SIGKILL');
    await letOthersClaim('');
    await replicas.restart(index);
  }
  await loader.stop();
  await replicas.allReady();
  await letOthersClaim('');
  const isEqual = async (): Promise<boolean> =>
    isDeepStrictEqual(await warehouse.read(schema, name), await listRows(api, datagrid));
  await eventually(isEqual, PATIENCE_MS).catch(() => undefined);
  const rows = await listRows(api, datagrid);
  expect(await warehouse.read(schema, name)).toEqual(rows);
  const [state] = (await warehouse.sql.query(`SELECT token FROM ${schema}._datagrid_sync`)).rows;
  const { rows: runs } = await withClient(postgres.url, (client) =>
    client.query('SELECT count(error)::int AS failed, sum(rows)::int AS rows FROM connection_runs'),
  );
  printFigures('kill -9 of workers of connections, PostgreSQL', {
    seed,
    kills: KILLS,
    writes: loader.count(200) + loader.count(201) + loader.count(204),
    claims: Number(state.token),
    'failed runs': runs[0].failed,
    'rows in the end': rows.length,
  });
}, 600_000);

async function onlyId(connections: string): Promise<string> {
  const [{ id }] = dataOf(await replicas.api(0, owner.key).get(connections), 200);
  return id;
}
