import { eventually } from '../support/eventually';
import { printFigures } from './support/figures';
import { Loader, type Call } from './support/loader';
import { expectWithin } from './support/measured';
import { NumberedGrid } from './support/numbered-grid';
import { PostgresServer } from './support/postgres-server';
import { newOwner, type Owner } from './support/owner';
import { Replicas } from './support/replicas';
import { sleepInWrites, wakeWrites } from './support/slow-writes';
import { recoveryMs, withoutRetryAfter, summary } from './support/summary';
import { TcpProxy } from './support/tcp-proxy';

const CLIENTS = 32;
/** Longer than any request may take. */
const PATIENCE_MS = 100_000;
/** Time between two looks at all results. */
const INTERVAL_MS = 50;
/** Limits for a machine that does nothing else. */
const [IN_TIME_MS, RECOVERY_MS] = [15_000, 6_000];

let postgres: PostgresServer;
let proxy: TcpProxy;
let replicas: Replicas;
let owner: Owner;
let grid: NumberedGrid;

beforeAll(async () => {
  postgres = await PostgresServer.start();
  proxy = await TcpProxy.start({ path: postgres.socketPath });
  const url = `postgres://app@127.0.0.1:${String(proxy.port)}/postgres`;
  replicas = await Replicas.start(1, { DATABASE_URL: url });
  owner = await newOwner(postgres.url);
  grid = await NumberedGrid.create(replicas.api(0, owner.key));
  await replicas.api(0, owner.key).post(`${grid.path}/rows`, { values: { n: 0 } });
});

afterAll(async () => {
  await replicas.kill();
  await proxy.close();
  await postgres.remove();
});

/** Reads of every kind, and writes. */
function mixed(client: number): Call {
  const filter = encodeURIComponent('{"n":{"$gt":5}}');
  const reads = ['/rows', `/rows?filter=${filter}`, '/rows/1'];
  const path = reads[client % 4];
  if (path === undefined) return grid.nextCreate();
  return { method: 'GET', path: grid.path + path };
}

const health = async (path: string): Promise<number> =>
  (await fetch(`${replicas.origins[0] ?? ''}/health/${path}`)).status;

interface Fault {
  readonly name: string;
  readonly begin: () => Promise<void> | void;
  readonly end: () => Promise<void> | void;
}

const FAULTS: readonly Fault[] = [
  { name: 'SIGSTOP', begin: () => postgres.freeze(), end: () => postgres.thaw() },
  {
    name: 'a network that drops everything',
    begin: () => {
      proxy.blackhole();
    },
    end: () => {
      proxy.heal();
    },
  },
  {
    name: 'a network that resets everything',
    begin: () => {
      proxy.reject();
    },
    end: () => {
      proxy.heal();
    },
  },
  { name: 'kill -9', begin: () => postgres.kill(), end: () => postgres.start() },
  { name: 'a fast shutdown', begin: () => postgres.stop(), end: () => postgres.start() },
];

describe.each(FAULTS)('an instance whose PostgreSQL is unavailable ($name)', (fault) => {
  it('ends every request in time with 503 and Retry-After, turns readiness but not liveness to 503, and recovers without a restart', async () => {
    const loader = new Loader({
      origins: replicas.origins,
      key: owner.key,
      clients: CLIENTS,
      next: mixed,
      patienceMs: PATIENCE_MS,
    });
    await eventually(() => loader.count(200) > 200 && loader.count(201) > 50, 60_000);
    const beganAtMs = performance.now();
    await fault.begin();
    // No request waits until PostgreSQL is back: every client gets a rejection before.
    const rejected = (): number => {
      const clients = loader.results.filter(({ status }) => status === 503);
      return new Set(clients.map(({ client }) => client)).size;
    };
    const isNoticed = (): boolean => loader.count(503) > 50 && rejected() === CLIENTS;
    await eventually(isNoticed, 60_000, INTERVAL_MS);
    expect(await health('live')).toBe(200);
    expect(await health('ready')).toBe(503);
    const endedAtMs = performance.now();
    await fault.end();
    const backAtMs = performance.now();
    const hasRecovered = (): boolean => recoveryMs(loader.results, backAtMs) < Infinity;
    await eventually(hasRecovered, 60_000, INTERVAL_MS);
    await eventually(async () => (await health('ready')) === 200, 60_000);
    const results = await loader.stop();
    const during = results.filter(
      ({ sentAtMs, tookMs }) => sentAtMs < endedAtMs && sentAtMs + tookMs > beganAtMs,
    );
    const noticed = during.filter(({ status }) => status === 503);
    const figures = summary(during);
    const recovered = recoveryMs(results, backAtMs);
    printFigures(`PostgreSQL unavailable: ${fault.name}`, {
      ...figures,
      'time to recover ms': recovered,
    });
    expect(withoutRetryAfter(results)).toEqual([]);
    expect(results.filter(({ status }) => ![200, 201, 503].includes(status))).toEqual([]);
    expect(noticed.length).toBeGreaterThan(50);
    expectWithin(figures['longest ms'] ?? NaN, IN_TIME_MS);
    expectWithin(recovered, RECOVERY_MS);
  });
});

describe('a silent connection to PostgreSQL', () => {
  it('stays open while a statement runs', async () => {
    await sleepInWrites(postgres.url, 7);
    const sentAtMs = performance.now();
    const response = await replicas.api(0, owner.key).post(`${grid.path}/rows`, { values: {} });
    printFigures('a long statement is left to end', {
      'response after ms': performance.now() - sentAtMs,
    });
    await wakeWrites(postgres.url);
    expect(response.status).toBe(201);
  });

  it('is closed if the network has dropped it, and the next request uses another one', async () => {
    const loader = new Loader({
      origins: replicas.origins,
      key: owner.key,
      clients: 16,
      next: mixed,
      patienceMs: PATIENCE_MS,
    });
    await eventually(() => loader.count(200) > 100, 60_000);
    proxy.forget();
    const forgottenAtMs = performance.now();
    const hasRecovered = (): boolean => recoveryMs(loader.results, forgottenAtMs) < Infinity;
    await eventually(hasRecovered, 60_000, INTERVAL_MS);
    const results = await loader.stop();
    const recovered = recoveryMs(results, forgottenAtMs);
    const figures = summary(results);
    printFigures('all connections dropped by the network', {
      ...figures,
      'time to recover ms': recovered,
    });
    expect(results.filter(({ status }) => ![200, 201, 503].includes(status))).toEqual([]);
    expectWithin(figures['longest ms'] ?? NaN, IN_TIME_MS);
  });
});
