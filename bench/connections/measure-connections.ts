import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Pool } from 'pg';
import { from, to } from 'pg-copy-streams';
import { AccountService } from '../../src/auth/account.service';
import { ApiKeyService } from '../../src/auth/api-key/api-key.service';
import { createApplication } from '../../src/create-application';
import { readConfig } from '../../src/platform/config/app-config';
import { createLogger } from '../../src/platform/logging/logger';
import { Api } from '../changes/api';
import { type Figure, figuresTable, quantile, watchCpu } from '../changes/figures';
import { COLUMNS, exampleValues, fill, INDEXED } from '../data';
import type { Bench } from '../prepare';
import type { ServerProcess } from '../server-process';
import {
  connectAndWait,
  create,
  type Grid,
  measureDestination,
  type MeasuredDestination,
} from './measure-destinations';
import { onDatabase, Warehouse } from './warehouse';

const SETTINGS = { CONNECTION_ALLOWED_PRIVATE_RANGES: '127.0.0.0/8' };
const WRITES_PER_SECOND = 500;
const WRITE_SECONDS = 30;
/** Number of writes at a time. If they take longer than the rate allows, the rate is lower. */
const CLIENTS = 16;
const POLL_MS = 20;
/** Rows that are loaded by each kind of destination. */
const DESTINATION_ROWS = 1_000_000;

/** A service that is the only one of its database, so that no other process runs its syncs. */
interface SyncBench {
  readonly service: ServerProcess;
  readonly sql: Pool;
  readonly url: string;
  readonly api: Api;
  readonly warehouse: Warehouse;
}

type Step = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** What is measured, besides DuckDB and PostgreSQL. */
export interface ConnectionOptions {
  /** Part of the name of the steps to run. All of them by default. */
  readonly only: string | undefined;
  /** File with more destinations, as a JSON array of `MeasuredDestination`. */
  readonly destinations: string | undefined;
}

/**
 * Measures the first load of a PostgreSQL, its memory, the lag of a continuous sync, and loads and
 * merges of each destination.
 */
export async function measureConnections(
  bench: Bench,
  rows: number,
  step: Step,
  { only, destinations }: ConnectionOptions,
): Promise<string> {
  const files = mkdtempSync(join(tmpdir(), 'datagrid-bench-files-'));
  const setup = await prepareSyncBench(bench, files);
  const others = destinations === undefined ? [] : readDestinations(destinations);
  const works: Readonly<Record<string, () => Promise<Figure[]>>> = {
    load: () => measureLoad(setup, rows),
    lag: async () => [await measureLag(setup)],
    destinations: () => measureDestinations(setup, Math.min(rows, DESTINATION_ROWS), others),
  };
  try {
    const figures: Figure[] = [];
    for (const [name, work] of Object.entries(works)) {
      if (only !== undefined && !name.includes(only)) continue;
      const own = await step(name, work);
      // A later step may fail.
      for (const { measure, measured } of own) process.stdout.write(`  ${measure}: ${measured}\n`);
      figures.push(...own);
    }
    return figuresTable(figures);
  } finally {
    await setup.service.stop();
    await setup.sql.end();
    await setup.warehouse.close();
    rmSync(files, { recursive: true });
  }
}

const readDestinations = (file: string): MeasuredDestination[] =>
  JSON.parse(readFileSync(file, 'utf8')) as MeasuredDestination[];

/** Loads one datagrid into each destination, one after another, and merges changes of its rows. */
async function measureDestinations(
  { api, sql, warehouse }: SyncBench,
  rows: number,
  others: readonly MeasuredDestination[],
): Promise<Figure[]> {
  const grid = await createGrid(api, 'Copied');
  await fill(sql, grid.id, rows);
  await sql.query('VACUUM ANALYZE rows');
  const own = [warehouse.connection, { type: 'duckdb', settings: { file: 'copied' } }];
  const figures: Figure[] = [];
  for (const destination of [...own, ...others]) {
    figures.push(...(await measureDestination(api, grid, rows, destination)));
  }
  return figures;
}

async function prepareSyncBench(bench: Bench, files: string): Promise<SyncBench> {
  await bench.sql.query('CREATE DATABASE syncs');
  const url = onDatabase(bench.databaseUrl, 'syncs');
  const config = readConfig({ DATABASE_URL: url, LOG_LEVEL: 'silent' });
  const app = await createApplication(config, url, createLogger(config));
  await app.init();
  const { userId } = await app.get(AccountService).create('syncs', 'syncs@example.com');
  const { key } = await app.get(ApiKeyService).create(userId, 'bench', null, 'operator');
  await app.close();
  const settings = { ...SETTINGS, DATABASE_URL: url, CONNECTION_FILES_DIR: files };
  const service = await bench.startService(undefined, settings);
  const warehouse = await Warehouse.create(bench.sql, bench.databaseUrl);
  const sql = new Pool({ connectionString: url, max: 2 });
  return { service, sql, url, api: new Api(service.port, key), warehouse };
}

async function createGrid(api: Api, name: string): Promise<Grid> {
  const workspace = `/workspaces/${await create(api, '/workspaces', { name })}`;
  const columns = COLUMNS.map((column) => ({ ...column, indexed: column.key === INDEXED }));
  return { workspace, id: await create(api, `${workspace}/datagrids`, { name, columns }) };
}

/** Compares the load by the service with a COPY of the same rows from a table with typed columns. */
async function measureLoad(setup: SyncBench, rows: number): Promise<Figure[]> {
  const { api, sql, service, warehouse } = setup;
  const grid = await createGrid(api, 'Loaded');
  await fill(sql, grid.id, rows);
  await sql.query('VACUUM ANALYZE rows');
  await createTyped(setup, grid.id);
  const directBeforeMs = await copyDirectly(setup);
  const memory = watchMemory(service.pid);
  const clientCpu = watchCpu();
  const startedMs = performance.now();
  const { table: name } = await connectAndWait(api, grid, warehouse.connection);
  const loadMs = performance.now() - startedMs;
  const cpu = clientCpu();
  const growthMiB = memory();
  const directAfterMs = await copyDirectly(setup);
  const { rows: counted } = await warehouse.sql.query<{ count: string }>(
    `SELECT count(*) FROM ${name}`,
  );
  if (Number(counted[0]?.count) !== rows) throw new Error('The load is not complete.');
  const share = (directBeforeMs + directAfterMs) / 2 / loadMs;
  const size = rows.toLocaleString('en');
  return [
    {
      measure: `first load of ${size} rows, PostgreSQL to PostgreSQL`,
      target: '≥ 0.45 of the rate of COPY between typed tables',
      measured: `${share.toFixed(2)} (${((1_000 * rows) / loadMs).toFixed(0)} rows/s)`,
      isMet: share >= 0.45,
      clientCpu: cpu,
    },
    {
      measure: `memory of the service during this load`,
      target: 'grows by ≤ 150 MiB',
      measured: `${growthMiB.toFixed(0)} MiB`,
      isMet: growthMiB <= 150,
      clientCpu: cpu,
    },
  ];
}

const TYPES: Readonly<Record<string, string>> = {
  integer: 'bigint',
  number: 'float8',
  decimal: 'numeric',
  boolean: 'boolean',
  date: 'date',
  datetime: 'timestamptz',
};

async function createTyped({ sql, warehouse }: SyncBench, datagridId: string): Promise<void> {
  const typed = COLUMNS.map(({ key, type }) => `"${key}" ${TYPES[type] ?? 'text'}`);
  const values = COLUMNS.map(
    ({ key, type }) => `("values" ->> '${key}')::${TYPES[type] ?? 'text'} AS "${key}"`,
  );
  await sql.query(
    `CREATE TABLE typed AS SELECT id AS _id, revision AS _revision, ${values.join(', ')}
    FROM rows WHERE datagrid_id = '${datagridId}'`,
  );
  await warehouse.sql.query(
    `CREATE TABLE direct (_id bigint, _revision bigint, ${typed.join(', ')})`,
  );
}

/** @returns the time of a COPY without the primary key, which the load builds, too, in milliseconds. */
async function copyDirectly({ url, warehouse }: SyncBench): Promise<number> {
  const [source, target] = [url, warehouse.url].map(
    (connectionString) => new Client({ connectionString }),
  ) as [Client, Client];
  await Promise.all([source.connect(), target.connect()]);
  await target.query('TRUNCATE direct');
  const startedMs = performance.now();
  const lines = source.query(to('COPY typed TO STDOUT'));
  await pipeline(lines, target.query(from('COPY direct FROM STDIN')));
  const durationMs = performance.now() - startedMs;
  await Promise.all([source.end(), target.end()]);
  return durationMs;
}

/** Watches the resident memory of a process. @returns a function that returns its growth in MiB. */
function watchMemory(pid: number): () => number {
  const now = (): number => {
    const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1_024;
  };
  const before = now();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, now())), 100);
  return () => {
    clearInterval(timer);
    return most - before;
  };
}

/** Measures the time from the response to a write until the warehouse has its revision. */
async function measureLag(setup: SyncBench): Promise<Figure> {
  const { api, warehouse } = setup;
  const grid = await createGrid(api, 'Written');
  const { table: name } = await connectAndWait(api, grid, warehouse.connection);
  const clientCpu = watchCpu();
  /** Times of the responses by revision, and of the arrivals. */
  const written: number[] = [];
  const lags: number[] = [];
  const isDone = new AbortController();
  const reading = (async (): Promise<void> => {
    let arrived = 0;
    while (!isDone.signal.aborted || arrived < written.length - 1) {
      const { rows } = await warehouse.sql.query<{ revision: string }>(
        `SELECT coalesce(max(_revision), 0) AS revision FROM ${name}`,
      );
      const revision = Number(rows[0]?.revision ?? 0);
      const nowMs = performance.now();
      for (; arrived < revision; arrived += 1) {
        const atMs = written[arrived + 1];
        if (atMs !== undefined) lags.push(nowMs - atMs);
      }
      await delay(POLL_MS);
    }
  })();
  // If a write fails, the pool is closed while this still reads.
  reading.catch(() => undefined);
  const total = WRITES_PER_SECOND * WRITE_SECONDS;
  const startedMs = performance.now();
  let next = 0;
  const client = async (): Promise<void> => {
    for (let n = next++; n < total; n = next++) {
      const waitMs = startedMs + (1_000 * n) / WRITES_PER_SECOND - performance.now();
      if (waitMs > 0) await delay(waitMs);
      await write(api, grid.id, n, written);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const seconds = (performance.now() - startedMs) / 1_000;
  isDone.abort();
  await reading;
  const [median, p99] = [quantile(lags, 0.5), quantile(lags, 0.99)];
  return {
    measure: `lag of a continuous sync at ${(total / seconds).toFixed(0)} writes/s`,
    target: 'p99 ≤ 2 s',
    measured: `p50 ${median.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`,
    isMet: p99 <= 2_000,
    clientCpu: clientCpu(),
  };
}

async function write(api: Api, datagridId: string, n: number, written: number[]): Promise<void> {
  const body = { values: exampleValues(n) };
  const response = await api.send<{ data: { revision: number } }>(
    'POST',
    `/datagrids/${datagridId}/rows`,
    body,
  );
  written[response.data.revision] = performance.now();
}
