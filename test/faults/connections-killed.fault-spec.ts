import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readTable as readClickhouse } from '../connections/clickhouse-server';
import type { ReadRow } from '../connections/contract-tables';
import { readTable as readDuckdb } from '../connections/duckdb-files';
import { readTable as readMysql } from '../connections/mysql-server';
import { ALLOW_LOCAL, listRows, Warehouse } from '../e2e/connections/warehouse';
import type { Json } from '../support/api-client';
import { ClickhouseEngine, describeWithClickhouse } from '../support/clickhouse/clickhouse-engine';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../support/fixture';
import { withClient } from '../support/database-url';
import { describeMariadb, MariadbServer } from '../support/mariadb-server';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { printFigures } from './support/figures';
import { sampleSize, draw } from '../support/samples';
import { Loader } from './support/loader';
import { MIXED_COLUMNS, MixedWrites } from './support/mixed-writes';
import { newOwner, type Owner } from './support/owner';
import { Replicas } from './support/replicas';
import { SEED } from '../support/seeded-random';

const INSTANCES = 2;
/** With `SAMPLES=50`, each test takes some five minutes. */
const KILLS = sampleSize({ few: 2, all: 8 });
/** Types of destinations of a run. Tests of each type kill its writers, too (`test/connections`). */
const TYPES = sampleSize({ few: 2, all: 4 });
const INITIAL_ROWS = 8_000;
/** A kill comes at a random time within this one after the last one. */
const MAX_PAUSE_MS = 800;
/** One kill of so many comes during a new load. */
const RESET_EVERY = 4;
const PATIENCE_MS = 120_000;
const INTERVAL_MS = 100;
/** A worker notices after at most so long that it lost its claim. */
const FROZEN_MS = 1_500;
const FREEZES = sampleSize({ few: INSTANCES, all: 2 * INSTANCES });

let database: TestDatabase;
let replicas: Replicas;
let owner: Owner;
let warehouse: Warehouse;
let engine: ClickhouseEngine;
let directory: string;
let mariadb: MariadbServer;

beforeAll(async () => {
  database = await createTestDatabase();
  directory = await mkdtemp(join(tmpdir(), 'connections-killed-'));
  const settings = { ...ALLOW_LOCAL, CONNECTION_FILES_DIR: directory };
  replicas = await Replicas.start(INSTANCES, { DATABASE_URL: database.url, ...settings });
  owner = await newOwner(database.url);
  warehouse = await Warehouse.start();
});

afterAll(async () => {
  await replicas.kill();
  await warehouse.close();
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

interface Destination {
  readonly type: string;
  readonly describe: (name: string, suite: () => void) => void;
  readonly connection: () => Json;
  /** Returns the rows of a table as `{ id, revision, values }`, without missing values. */
  readonly read: (table: string) => Promise<Json[] | null>;
}

/** Returns rows of a destination as `{ id, revision, values }`, without missing values. */
const printed = (rows: readonly ReadRow[] | null): Json[] | null =>
  rows?.map(({ _id: id, _revision: revision, ...values }) => {
    const present = Object.entries(values).filter(([, value]) => value !== null);
    return { id, revision, values: Object.fromEntries(present) };
  }) ?? null;

const DESTINATIONS: readonly Destination[] = [
  {
    type: 'postgresql',
    describe,
    connection: () => ({ settings: warehouse.settings('killed'), secret: warehouse.password }),
    read: (table) => warehouse.read('killed', table),
  },
  {
    type: 'duckdb',
    describe,
    connection: () => ({ settings: { file: 'killed' } }),
    read: async (table) => {
      const file = join(directory, owner.accountId, 'killed.duckdb');
      // The file can be written while it is copied. Then it is read again.
      return printed(await readDuckdb(file, table).catch(() => null));
    },
  },
  {
    type: 'mysql',
    describe: (name, suite) => {
      describeMariadb(name, () => {
        beforeAll(async () => {
          mariadb = await MariadbServer.start();
        });

        afterAll(() => mariadb.remove());

        suite();
      });
    },
    connection: () => {
      const { port, user, database, password: secret } = mariadb;
      return { settings: { host: '127.0.0.1', port, user, database, tls: false }, secret };
    },
    read: async (table) => {
      const reader = await mariadb.connect();
      try {
        return printed(await readMysql(reader, table));
      } finally {
        reader.destroy();
      }
    },
  },
  {
    type: 'clickhouse',
    describe: (name, suite) => {
      describeWithClickhouse(name, () => {
        beforeAll(async () => {
          engine = await ClickhouseEngine.start();
        });

        afterAll(() => engine.close());

        suite();
      });
    },
    connection: () => {
      const { port, database, user, password: secret } = engine;
      return { settings: { host: '127.0.0.1', port, database, user, tls: false }, secret };
    },
    read: async (table) => printed(await readClickhouse(engine, table)),
  },
];

/** Lets any instance claim the tables at once, also if another one still works on them. */
const letOthersClaim = (request = ''): Promise<unknown> =>
  withClient(database.url, (client) =>
    client.query(
      `UPDATE connection_tables SET leased_until = now() - make_interval(secs => 1), next_run_at = now() - make_interval(secs => 1) ${request}`,
    ),
  );

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Synced {
  readonly datagrid: string;
  readonly table: string;
  /** Path of the connection. */
  readonly connection: string;
}

async function newSynced({ type, connection }: Destination): Promise<Synced> {
  const api = replicas.api(0, owner.key);
  const workspace = await newWorkspace(api);
  const datagrid = await newDatagrid(api, MIXED_COLUMNS, workspace);
  for (let n = 0; n < INITIAL_ROWS; n += 1_000) {
    const rows = Array.from({ length: 1_000 }, (_, index) => ({
      values: { note: `Note ${String(n + index)}` },
    }));
    dataOf(await api.post(`${datagrid}/rows`, { rows }), 201);
  }
  const connections = `/workspaces/${workspace}/connections`;
  const body = { name: 'Warehouse', type, ...connection() };
  const { id } = dataOf(await api.post(connections, body), 201);
  const path = `${connections}/${id as string}`;
  const [{ name }] = dataOf(await api.get(`${path}/tables`), 200);
  return { datagrid, table: name, connection: path };
}

function startWrites(datagrid: string, seed: number): Loader {
  const writes = new MixedWrites(datagrid, seed);
  const next = (): ReturnType<MixedWrites['next']> => writes.next();
  return new Loader({ origins: replicas.origins, key: owner.key, clients: 3, next });
}

/** @returns the number of rows. */
async function expectEqual(
  { read }: Destination,
  { datagrid, table, connection }: Synced,
): Promise<number> {
  await replicas.allReady();
  await letOthersClaim();
  const api = replicas.api(0, owner.key);
  const isEqual = async (): Promise<boolean> => {
    // To read all rows takes the time that the sync needs.
    const [{ status, lagSeconds }] = dataOf(await api.get(`${connection}/tables`), 200);
    if (status !== 'synced' || lagSeconds !== 0) return false;
    return isDeepStrictEqual(await read(table), await listRows(api, datagrid));
  };
  await eventually(isEqual, PATIENCE_MS, INTERVAL_MS).catch(() => undefined);
  const rows = await listRows(api, datagrid);
  expect(await read(table)).toEqual(rows);
  return rows.length;
}

/** Ends the syncs of a test, and returns figures of them. */
async function end({ connection }: Synced): Promise<Json> {
  const id = connection.split('/').at(-1);
  const { rows } = await withClient(database.url, (client) =>
    client.query(
      `SELECT (SELECT token::int FROM connection_tables WHERE connection_id = $1) AS claims,
        (SELECT count(error)::int FROM connection_runs WHERE connection_id = $1) AS "failed runs"`,
      [id],
    ),
  );
  expect((await replicas.api(0, owner.key).delete(connection)).status).toBe(204);
  return rows[0];
}

const writesOf = (loader: Loader): number =>
  loader.count(200) + loader.count(201) + loader.count(204);

for (const destination of draw(DESTINATIONS, TYPES)) {
  destination.describe(`a connection to ${destination.type}`, () => {
    it('has each row once while its workers are killed and lose their claims', async () => {
      const synced = await newSynced(destination);
      const loader = startWrites(synced.datagrid, SEED);
      const random = new MixedWrites(synced.datagrid, SEED + 1);
      for (let kill = 0; kill < KILLS; kill += 1) {
        await letOthersClaim(kill % RESET_EVERY === 0 ? ", request = 'reset'" : '');
        await pause(random.below(MAX_PAUSE_MS));
        const index = random.below(INSTANCES);
        await replicas.get(index).stop('SIGKILL');
        await letOthersClaim();
        await replicas.restart(index);
      }
      await loader.stop();
      const rows = await expectEqual(destination, synced);
      printFigures(`kill -9 of workers of connections, ${destination.type}`, {
        seed: SEED,
        kills: KILLS,
        writes: writesOf(loader),
        ...(await end(synced)),
        'rows in the end': rows,
      });
    }, 900_000);

    it('is written by one worker at a time while workers are frozen and thawed', async () => {
      const synced = await newSynced(destination);
      const loader = startWrites(synced.datagrid, SEED);
      for (let turn = 0; turn < FREEZES; turn += 1) {
        const { child } = replicas.get(turn % INSTANCES);
        await letOthersClaim(turn % 2 === 0 ? ", request = 'reset'" : '');
        await pause(200);
        child.kill('SIGSTOP');
        await letOthersClaim();
        await pause(FROZEN_MS);
        child.kill('SIGCONT');
        await pause(200);
      }
      await loader.stop();
      const rows = await expectEqual(destination, synced);
      printFigures(`frozen and thawed workers of connections, ${destination.type}`, {
        seed: SEED,
        writes: writesOf(loader),
        ...(await end(synced)),
        'rows in the end': rows,
      });
    });
  });
}
