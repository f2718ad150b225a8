import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../changes/api';
import { quantile } from '../changes/figures';
import { median } from '../median';
import type { Bench } from '../prepare';
import type { ServerProcess } from '../server-process';
import { markdownTable } from '../table';
import { createTyped, fillScanned, SCAN_COLUMNS } from './scan-data';
import { SCAN_QUERIES, type ScanQuery } from './scan-queries';

/** Asks of each query, in turns; fewer of large datagrids. */
const ROUNDS = 9;
const FEW_ROUNDS = 3;
const LARGE_ROWS = 2_000_000;
const POLL_MS = 200;
const WRITERS = 8;
const WRITE_MS = 10_000;
const WRITE_ROUNDS = 3;
const UPDATES_PER_SECOND = 500;
/** Scans of large datagrids take longer than the default. */
const SETTINGS = { QUERY_TIMEOUT_MS: '120000' };

/** Another platform, whose requests the operator of the benchmark has written into a file. */
interface Peer {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** URLs by the names of queries. They may lack some. */
  readonly requests: Readonly<Record<string, string>>;
}

type Ask = () => Promise<unknown>;

/** A service that answers the queries in one of the two ways. */
interface Way {
  readonly process: ServerProcess;
  readonly api: Api;
}

/**
 * Compares queries without an index by PostgreSQL, by a columnar copy, and by other platforms with the same
 * rows in a table with typed columns, `scans_<rows>`, of the same PostgreSQL.
 * @param peersFile JSON file with a list of `Peer`, if there are any.
 */
export async function measureScans(
  bench: Bench,
  rows: number,
  step: <T>(name: string, work: () => Promise<T>) => Promise<T>,
  peersFile: string | undefined,
): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'datagrid-bench-copies-'));
  const metricsPort = await freePort();
  const peers =
    peersFile === undefined ? [] : (JSON.parse(readFileSync(peersFile, 'utf8')) as Peer[]);
  const columnar = { COLUMNAR_DIR: directory, METRICS_PORT: String(metricsPort) };
  const start = async (settings: Readonly<Record<string, string>>): Promise<Way> => {
    const process = await bench.startService(undefined, { ...SETTINGS, ...settings });
    return { process, api: new Api(process.port, bench.key) };
  };
  const [plain, copied] = [await start({}), await start(columnar)];
  try {
    const grid = await step(`${String(rows)} rows`, () => create(bench, plain.api, rows));
    if (peers.length > 0) {
      await step('table for other platforms', () =>
        createTyped(bench.sql, `scans_${String(rows)}`, rows),
      );
    }
    if (peers.length > 0) await step('start of other platforms', () => started(peers));
    const firstMs = await step('first asks', () => firstAsks(copied, grid));
    const loadMs = await step('load of the copy', () => loaded(copied, grid, metricsPort));
    const table = await step('queries', () =>
      compare(grid, { plain, copied }, peers, firstMs, rows > LARGE_ROWS ? FEW_ROUNDS : ROUNDS),
    );
    const served = await metricOf(metricsPort, 'columnar_queries_total{outcome="served"}');
    const bytes = await metricOf(metricsPort, 'columnar_bytes');
    const writes = await step('writers', () => compareWriters(grid, plain, copied));
    const behind = await step('queries beside updates', () => besideUpdates(grid, copied, rows));
    const facts = [
      ['load of the copy, s', (loadMs / 1_000).toFixed(1)],
      ['size of the copy, MiB', (bytes / 2 ** 20).toFixed(0)],
      ['queries that the copy has served', String(served)],
      ['creates, rate with a copy ÷ without', writes.toFixed(2)],
      [`a filter beside ${String(UPDATES_PER_SECOND)} updates/s, p95 ms`, behind.toFixed(1)],
    ];
    return `${table}\n\n${markdownTable(['measure', 'measured'], facts)}`;
  } finally {
    await Promise.all([plain.process.stop(), copied.process.stop()]);
    rmSync(directory, { recursive: true, force: true });
  }
}

async function create(bench: Bench, api: Api, rows: number): Promise<string> {
  const columns = SCAN_COLUMNS.map(({ key, type, options }) => ({
    key,
    type,
    ...(options && { options }),
  }));
  const body = { name: `Scans of ${String(rows)}`, columns };
  const path = `/workspaces/${bench.workspaceId}/datagrids`;
  const { data } = await api.send<{ data: { id: string } }>('POST', path, body);
  await fillScanned(bench.sql, data.id, rows);
  return `/datagrids/${data.id}`;
}

const asks = ({ api }: Way, grid: string, { path, body }: ScanQuery): Ask => {
  return () => api.send('POST', `${grid}${path}`, body);
};

/** Waits until other platforms return a response: some read the columns of a table only when they start. */
async function started(peers: readonly Peer[]): Promise<void> {
  for (const peer of peers) {
    const ask = SCAN_QUERIES.map((query) => asksPeer(peer, query)).find((one) => one !== undefined);
    while (
      ask &&
      (await ask().then(
        () => false,
        () => true,
      ))
    )
      await delay(POLL_MS);
  }
}

async function timed(ask: Ask): Promise<number> {
  const startedMs = performance.now();
  await ask();
  return performance.now() - startedMs;
}

/** Asks each query once, before there is a copy. */
async function firstAsks(way: Way, grid: string): Promise<number[]> {
  const times: number[] = [];
  for (const query of SCAN_QUERIES) times.push(await timed(asks(way, grid, query)));
  return times;
}

/** Waits for the copy. @returns the time in milliseconds since the last of the first asks. */
async function loaded(way: Way, grid: string, metricsPort: number): Promise<number> {
  const [query] = SCAN_QUERIES;
  const startedMs = performance.now();
  while ((await metricOf(metricsPort, 'columnar_copies')) === 0) await delay(POLL_MS);
  if (query) await asks(way, grid, query)();
  return performance.now() - startedMs;
}

/** Asks each query in turns. */
async function compare(
  grid: string,
  { plain, copied }: { readonly plain: Way; readonly copied: Way },
  peers: readonly Peer[],
  firstMs: readonly number[],
  rounds: number,
): Promise<string> {
  const lines: string[][] = [];
  for (const [at, query] of SCAN_QUERIES.entries()) {
    const contenders = [asks(plain, grid, query), asks(copied, grid, query)];
    const others = peers.map((peer) => asksPeer(peer, query));
    const all = [...contenders, ...others];
    const times = all.map((): number[] => []);
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, ask] of all.entries()) if (ask) times[index]?.push(await timed(ask));
    }
    const [plainMs = Number.NaN, copiedMs = Number.NaN, ...peersMs] = times.map(median);
    const fastest = Math.min(...peersMs.filter((ms) => !Number.isNaN(ms)));
    lines.push([
      query.name,
      ...[firstMs[at] ?? Number.NaN, plainMs, copiedMs, ...peersMs].map(shownMs),
      ...(peers.length > 0 ? [(fastest / copiedMs).toFixed(1)] : []),
    ]);
  }
  const head = ['query', 'first ask, ms', 'PostgreSQL, ms', 'copy, ms'];
  const more = peers.map(({ name }) => `${name}, ms`);
  return markdownTable(
    [...head, ...more, ...(peers.length > 0 ? ['speed, fastest other = 1'] : [])],
    lines,
  );
}

const shownMs = (ms: number): string => (Number.isNaN(ms) ? '–' : ms.toFixed(ms < 100 ? 1 : 0));

function asksPeer({ name, headers, requests }: Peer, query: ScanQuery): Ask | undefined {
  const url = requests[query.name];
  if (url === undefined) return undefined;
  return async () => {
    const response = await fetch(url, { headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${name}, ${query.name}: ${text.slice(0, 500)}`);
  };
}

/** @returns the rate of creates on the service with a copy, beside queries of it, as a share of the other. */
async function compareWriters(grid: string, plain: Way, copied: Way): Promise<number> {
  const ratios: number[] = [];
  for (let round = 0; round < WRITE_ROUNDS; round += 1) {
    const [without, withCopy] = [await countCreates(plain, grid), await countCreates(copied, grid)];
    ratios.push(withCopy / without);
  }
  return median(ratios);
}

async function countCreates({ api }: Way, grid: string): Promise<number> {
  const endMs = performance.now() + WRITE_MS;
  let count = 0;
  const write = async (): Promise<void> => {
    while (performance.now() < endMs) {
      await api.send('POST', `${grid}/rows`, { values: { name: 'Written', quantity: 1 } });
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  return count;
}

/** @returns the 95th percentile of the time of a filter while rows change, in milliseconds. */
async function besideUpdates(grid: string, way: Way, rows: number): Promise<number> {
  const [query] = SCAN_QUERIES;
  if (!query) return Number.NaN;
  const startedMs = performance.now();
  const endMs = startedMs + WRITE_MS;
  let sent = 0;
  const write = async (): Promise<void> => {
    for (;;) {
      const now = performance.now();
      if (now > endMs) return;
      const dueMs = startedMs + (sent * 1_000) / UPDATES_PER_SECOND;
      if (dueMs > now) {
        await delay(dueMs - now);
        continue;
      }
      sent += 1;
      const id = 1 + ((sent * 7_919) % rows);
      await way.api.send('PATCH', `${grid}/rows/${String(id)}`, {
        values: { quantity: sent % 100 },
      });
    }
  };
  const times: number[] = [];
  const read = async (): Promise<void> => {
    while (performance.now() < endMs) times.push(await timed(asks(way, grid, query)));
  };
  await Promise.all([read(), ...Array.from({ length: WRITERS }, write)]);
  return quantile(times, 0.95);
}

/** Returns a port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Returns a metric of a service.
 * @param name Name without its prefix, with the labels if it has some.
 * @returns 0 if the service has no such metric yet.
 */
async function metricOf(port: number, name: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${String(port)}/metrics`);
  const lines = (await response.text()).split('\n').filter((line) => !line.startsWith('#'));
  const line = lines.find((one) => one.includes(`${name} `));
  return Number(line?.split(' ').at(-1) ?? 0);
}
