import { eventually } from '../support/eventually';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { printFigures } from './support/figures';
import { Loader, type Call } from './support/loader';
import { NumberedGrid } from './support/numbered-grid';
import { quantile } from './support/quantile';
import { newOwner, type Owner } from './support/owner';
import { Replicas } from './support/replicas';

const INSTANCES = 3;
const CLIENTS = 12;
const REQUESTS = 3_000;
const PAUSE_MS = 20;

let database: TestDatabase;
let replicas: Replicas;
let owner: Owner;

beforeAll(async () => {
  database = await createTestDatabase();
  replicas = await Replicas.start(INSTANCES, { DATABASE_URL: database.url });
  owner = await newOwner(database.url);
});

afterAll(async () => {
  await replicas.kill();
  await database.drop();
});

/**
 * Waits until every client has received another response: then all requests on their way to a
 * stopping instance have been served. On Kubernetes, the `preStop` hook gives this time.
 */
async function allRespondedSince(loader: Loader, fromMs: number): Promise<void> {
  const from = loader.results.length;
  await eventually(() => {
    const recent = loader.results.slice(from).filter(({ sentAtMs }) => sentAtMs > fromMs);
    return new Set(recent.map(({ client }) => client)).size === CLIENTS;
  }, 60_000);
}

it('fails none of 3,000 requests under keep-alive load while every instance is restarted', async () => {
  const grid = await NumberedGrid.create(replicas.api(0, owner.key));
  const reads: Call[] = [
    { method: 'GET', path: `${grid.path}/rows` },
    { method: 'GET', path: '/me' },
    { method: 'GET', path: `${grid.path}/rows?limit=5&sort=-n` },
  ];
  let sent = 0;
  const next = (): Call => reads[(sent += 1) % 4] ?? grid.nextCreate();
  // The ready instances, as a load balancer knows them.
  const rotation = [...replicas.origins];
  const load = { origins: rotation, key: owner.key, clients: CLIENTS, pauseMs: PAUSE_MS };
  const loader = new Loader({ ...load, next });

  const statuses: (number | null)[] = [];
  for (const [index, origin] of replicas.origins.entries()) {
    await eventually(() => loader.results.length >= ((index + 1) * REQUESTS) / 10, 60_000);
    rotation.splice(rotation.indexOf(origin), 1);
    await allRespondedSince(loader, performance.now());
    statuses.push(await replicas.get(index).stop('SIGTERM'));
    await replicas.restart(index);
    await eventually(async () => (await fetch(`${origin}/health/ready`)).ok, 60_000);
    rotation.push(origin);
  }
  await eventually(() => loader.results.length >= REQUESTS, 60_000);
  const results = await loader.stop();

  const failed = results.filter(({ status }) => status !== 200 && status !== 201);
  const tookMs = results.map((result) => result.tookMs);
  printFigures('rolling restart of three instances', {
    requests: results.length,
    failed: failed.length,
    'p50 ms': quantile(tookMs, 0.5),
    'p99 ms': quantile(tookMs, 0.99),
    'longest ms': Math.max(...tookMs),
  });
  expect(statuses).toEqual([0, 0, 0]);
  expect(failed.map(({ status, text }) => [status, text])).toEqual([]);
  const stored = await grid.stored(replicas.api(0, owner.key));
  expect(stored).toHaveLength(loader.count(201));
});
