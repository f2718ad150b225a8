import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { ALLOW_LOCAL, Warehouse } from '../e2e/connections/warehouse';
import type { Json } from '../support/api-client';
import { ClickhouseEngine, describeWithClickhouse } from '../support/clickhouse/clickhouse-engine';
import { eventually } from '../support/eventually';
import { dataOf, newWorkspace } from '../support/fixture';
import { describeWithIceberg, IcebergServer } from '../support/iceberg/iceberg-server';
import { describeMariadb, MariadbServer } from '../support/mariadb-server';
import { describeWithSnowflake, SnowflakeEmulator } from '../support/snowflake/snowflake-emulator';
import { type Member, TestApp } from '../support/test-app';
import { inCopy, inFile } from './duckdb-files';
import { setFilesSql } from './parquet-files';
import { withSession } from './snowflake-server';

/** Rows of the file. `.ci/run` uses all 3 million once. */
const ROWS = Number(process.env['FLIGHT_ROWS'] ?? '200000');
const FLIGHTS = join(__dirname, '../../node_modules/vega-datasets/data/flights-3m.parquet');
const COLUMNS = [
  { key: 'date', type: 'datetime' },
  { key: 'delay', type: 'integer' },
  { key: 'distance', type: 'integer' },
  { key: 'origin', type: 'text' },
  { key: 'destination', type: 'text' },
];
const PATIENCE_MS = 600_000;
const INTERVAL_MS = 200;
const SAMPLES = 20;

// Millions of rows, possibly on a busy machine.
jest.setTimeout(2 * PATIENCE_MS);

/** A destination that has the table `flights`. */
interface FlightDestination {
  /** Properties of the connection. */
  readonly connection: Json;
  /** Runs a query. Numbers can be text. */
  query(text: string): Promise<Record<string, unknown>[]>;
}

let directory: string;
let engine: ClickhouseEngine;
let iceberg: IcebergServer;
let mariadb: MariadbServer;
let snowflake: SnowflakeEmulator;
let warehouse: Warehouse;
let app: TestApp;
let owner: Member;
let workspace: string;
let datagrid: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'flights-'));
  warehouse = await Warehouse.start();
  app = await TestApp.start({ settings: { ...ALLOW_LOCAL, CONNECTION_FILES_DIR: directory } });
  owner = await app.newAccount();
  workspace = await newWorkspace(owner.api);
  const body = { name: 'flights', columns: COLUMNS };
  const created = await owner.api.post(`/workspaces/${workspace}/datagrids`, body);
  datagrid = `/datagrids/${String(dataOf(created, 201).id)}`;
  await importFlights();
});

afterAll(async () => {
  await app.close();
  await warehouse.close();
  await rm(directory, { recursive: true, force: true });
});

/** Runs a query on the published file, as `flights`. */
function inSource(text: string): Promise<Record<string, unknown>[]> {
  return inFile(':memory:', async (connection) => {
    await connection.run(`CREATE VIEW flights AS FROM '${FLIGHTS}' LIMIT ${String(ROWS)}`);
    return (await connection.runAndReadAll(text)).getRowObjectsJson();
  });
}

/** Imports the published file as CSV. */
async function importFlights(): Promise<void> {
  const file = join(directory, 'flights.csv');
  await inSource(`
    COPY (
      SELECT strftime(date, '%Y-%m-%dT%H:%M:%SZ') AS date, delay, distance, origin, destination
      FROM flights
    ) TO '${file}' (FORMAT csv, HEADER)`);
  const response = await fetch(`${app.origin}/api/v1/public${datagrid}/rows/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'text/csv' },
    body: Readable.toWeb(createReadStream(file)) as ReadableStream,
    duplex: 'half',
  });
  const { data } = (await response.json()) as Json;
  expect(data).toMatchObject({ state: 'completed', created: ROWS });
}

const DESTINATIONS: Readonly<Record<string, () => FlightDestination>> = {
  postgresql: () => ({
    connection: { settings: warehouse.settings('flights'), secret: warehouse.password },
    query: async (text) => {
      const inSchema = text.replaceAll('FROM flights', 'FROM flights.flights');
      return (await warehouse.sql.query<Record<string, unknown>>(inSchema)).rows;
    },
  }),
  duckdb: () => ({
    connection: { settings: { file: 'flights' } },
    query: (text) =>
      inCopy(join(directory, owner.accountId, 'flights.duckdb'), async (connection) =>
        (await connection.runAndReadAll(text)).getRowObjectsJson(),
      ),
  }),
  parquet: () => ({
    connection: {
      settings: { storage: 'directory', directory: 'lake' },
      intervalSeconds: 300,
    },
    query: (text) =>
      inFile(':memory:', async (connection) => {
        await connection.run(setFilesSql(join(directory, owner.accountId, 'lake/flights')));
        const source = "FROM read_parquet(getvariable('files'))";
        const result = await connection.runAndReadAll(text.replaceAll('FROM flights', source));
        return result.getRowObjectsJson();
      }),
  }),
  clickhouse: () => {
    const { port, database, user, password: secret } = engine;
    return {
      connection: { settings: { host: '127.0.0.1', port, database, user, tls: false }, secret },
      query: (text) => engine.query(text.replaceAll(SECONDS, 'toUnixTimestamp(date)')),
    };
  },
  iceberg: () => ({
    connection: {
      settings: iceberg.settings,
      secret: JSON.stringify({ s3: iceberg.secretAccessKey }),
      intervalSeconds: 300,
    },
    query: async (text) => {
      const files = await Promise.all(
        (await iceberg.describe('flights')).files.map(async (address, n) => {
          const path = join(directory, `flights-${String(n)}.parquet`);
          const content = await iceberg.storage.read(address.slice('s3://lake/'.length));
          await writeFile(path, content ?? '');
          return `'${path}'`;
        }),
      );
      const source = `FROM read_parquet([${files.join(', ')}])`;
      return inFile(':memory:', async (connection) => {
        const result = await connection.runAndReadAll(text.replaceAll('FROM flights', source));
        return result.getRowObjectsJson();
      });
    },
  }),
  mysql: () => {
    const { port, database, user, password: secret } = mariadb;
    return {
      connection: { settings: { host: '127.0.0.1', port, database, user, tls: false }, secret },
      query: async (text) => {
        const reader = await mariadb.connect();
        try {
          const seconds = "timestampdiff(SECOND, '1970-01-01', date)";
          const [rows] = await reader.query(text.replaceAll(SECONDS, seconds));
          return rows as Record<string, unknown>[];
        } finally {
          reader.destroy();
        }
      },
    };
  },
  snowflake: () => {
    const { port, user, database, schema, privateKey: secret } = snowflake;
    const url = `http://127.0.0.1:${String(port)}`;
    const account = { account: 'myorg-myaccount', user, warehouse: 'WH' };
    return {
      connection: { settings: { ...account, database, schema, url }, secret },
      query: (text) =>
        withSession(snowflake, async (session) => {
          // A session returns texts without names.
          const [, list = ''] = /SELECT ([^]+?)\s+FROM flights\s/.exec(text) ?? [];
          const columns = list.split(/,\s+(?![^(]*\))/);
          const names = columns.map((column) => column.trim().split(' ').at(-1) ?? '');
          const inSql = text.replaceAll(SECONDS, 'date_part(epoch_second, date)');
          const rows = await session.query(inSql, [], {
            ...{ columns: 10, rows: 10_000, bytes: 2 ** 24 },
          });
          return rows.map((row) => Object.fromEntries(names.map((name, n) => [name, row[n]])));
        }),
    };
  },
};

/** Seconds since 1970 in SQL. */
const SECONDS = 'extract(epoch FROM date)';

/** Statistics that every destination computes. */
const STATISTICS = `
  SELECT origin, count(*) AS flights, sum(delay) AS delay, sum(distance) AS distance,
    sum(${SECONDS}) AS seconds,
    min(destination) AS first_destination, max(destination) AS last_destination
  FROM flights GROUP BY origin ORDER BY origin`;

/** Makes numbers of what looks like one, as drivers return some of them as text. */
const comparable = (rows: readonly Record<string, unknown>[]): Json[] =>
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        Number.isNaN(Number(value)) ? value : Number(value),
      ]),
    ),
  );

async function expectFlights(type: string): Promise<void> {
  const destination = DESTINATIONS[type]?.();
  if (!destination) throw new Error(`There is no destination ${type}.`);
  const connections = `/workspaces/${workspace}/connections`;
  const body = { name: type, type, ...destination.connection };
  const { id } = dataOf(await owner.api.post(connections, body), 201);
  const path = `${connections}/${String(id)}/tables`;
  const startedMs = performance.now();
  await eventually(
    async () => {
      const [{ status, lastError }] = dataOf(await owner.api.get(path), 200);
      if (lastError !== null) throw new Error(lastError);
      return status === 'synced';
    },
    PATIENCE_MS,
    INTERVAL_MS,
  );
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  process.stdout.write(`${type}: ${String(ROWS)} flights in ${seconds} s\n`);

  const statistics = comparable(await destination.query(STATISTICS));
  expect(statistics).toEqual(comparable(await inSource(STATISTICS)));
  const counts = statistics.map(({ flights }) => Number(flights));
  expect(counts.reduce((sum, count) => sum + count)).toBe(ROWS);

  const pages = Array.from(
    { length: SAMPLES },
    (_, n) => 1 + Math.floor(((ROWS - 1) * n) / (SAMPLES - 1)),
  );
  const expected = await Promise.all(
    pages.map(async (page) => {
      const rows = await owner.api.get(`${datagrid}/rows?limit=1&page=${String(page)}`);
      const [{ id: _id, values }] = dataOf(rows, 200);
      const { date, ...others } = values;
      return { _id, seconds: Date.parse(date) / 1_000, ...others };
    }),
  );
  const ids = expected.map(({ _id }) => String(_id)).join(', ');
  const found = await destination.query(`
      SELECT _id, ${SECONDS} AS seconds, delay, distance, origin, destination
      FROM flights
      WHERE _id IN (${ids}) ORDER BY _id`);
  expect(comparable(found)).toEqual(comparable(expected));
}

describe.each(['postgresql', 'duckdb', 'parquet'])('a connection to %s', (type) => {
  it('lands every flight, with the sums, counts and samples of the published file', () =>
    expectFlights(type));
});

describeWithClickhouse('a connection to clickhouse', () => {
  beforeAll(async () => {
    engine = await ClickhouseEngine.start();
  });

  afterAll(() => engine.close());

  it('lands every flight, with the sums, counts and samples of the published file', () =>
    expectFlights('clickhouse'));
});

describeWithIceberg('a connection to iceberg', () => {
  beforeAll(async () => {
    iceberg = await IcebergServer.start();
  });

  afterAll(() => iceberg.close());

  it('lands every flight, with the sums, counts and samples of the published file', () =>
    expectFlights('iceberg'));
});

describeMariadb('a connection to mysql', () => {
  beforeAll(async () => {
    mariadb = await MariadbServer.start();
  });

  afterAll(() => mariadb.remove());

  it('lands every flight, with the sums, counts and samples of the published file', () =>
    expectFlights('mysql'));
});

describeWithSnowflake('a connection to snowflake', () => {
  beforeAll(async () => {
    snowflake = await SnowflakeEmulator.start();
  });

  afterAll(() => snowflake.stop());

  it('lands every flight, with the sums, counts and samples of the published file', () =>
    expectFlights('snowflake'));
});
