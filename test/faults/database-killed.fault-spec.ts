import { adminJson } from '../cli/admin';
import { eventually } from '../support/eventually';
import { SEED, seededRandom } from '../support/seeded-random';
import { printFigures } from './support/figures';
import { sampleSize } from '../support/samples';
import { Loader } from './support/loader';
import { expectWithin } from './support/measured';
import { compare, NumberedGrid } from './support/numbered-grid';
import { PostgresServer } from './support/postgres-server';
import { newOwner, type Owner } from './support/owner';
import { Replicas } from './support/replicas';
import { faultsAmong, recoveryMs, withoutRetryAfter } from './support/summary';

const KILLS = sampleSize({ few: 2, all: 5 });
const MIN_WRITES_BETWEEN_KILLS = 500;
/** Time between two looks at all results. */
const INTERVAL_MS = 50;
/** Limit for a machine that does nothing else. */
const RECOVERY_MS = 6_000;

let postgres: PostgresServer;
let replicas: Replicas;
let owner: Owner;

beforeAll(async () => {
  postgres = await PostgresServer.start();
  replicas = await Replicas.start(3, { DATABASE_URL: postgres.url });
  owner = await newOwner(postgres.url);
});

afterAll(async () => {
  await replicas.kill();
  await postgres.remove();
});

it('loses no acknowledged write and applies none twice if PostgreSQL is killed during 1,000 writes', async () => {
  const grid = await NumberedGrid.create(replicas.api(0, owner.key));
  const loader = new Loader({
    origins: replicas.origins,
    key: owner.key,
    clients: 24,
    next: () => grid.nextCreate(),
  });
  const below = seededRandom(SEED);
  const recovered: number[] = [];
  for (let kills = 0; kills < KILLS; kills += 1) {
    const next = loader.count(201) + MIN_WRITES_BETWEEN_KILLS + below(200);
    await eventually(() => loader.count(201) >= next, 60_000);
    await postgres.kill();
    const rejected = loader.count(503);
    await eventually(() => loader.count(503) > rejected + 24, 60_000);
    await postgres.start();
    const backAtMs = performance.now();
    const hasRecovered = (): boolean => recoveryMs(loader.results, backAtMs) < Infinity;
    await eventually(hasRecovered, 60_000, INTERVAL_MS);
    recovered.push(recoveryMs(loader.results, backAtMs));
  }
  const results = await loader.stop();
  await replicas.allReady();
  const found = compare(results, await grid.stored(replicas.api(0, owner.key)));
  printFigures(`kill -9 of PostgreSQL, ${String(KILLS)} times`, {
    seed: SEED,
    requests: results.length,
    acknowledged: found.acknowledged,
    lost: found.lost.length,
    twice: found.twice.length,
    rejected: loader.count(503),
    'rejected and yet stored': found.unacknowledged,
    'longest time to recover ms': Math.max(...recovered),
  });
  expect(found).toMatchObject({ lost: [], twice: [] });
  expect(found.acknowledged).toBeGreaterThanOrEqual(1_000);
  expect(faultsAmong(results)).toEqual([]);
  expect(withoutRetryAfter(results)).toEqual([]);
  expectWithin(Math.max(...recovered), RECOVERY_MS);
  const verified = await adminJson({ DATABASE_URL: postgres.url }, 'verify');
  expect(verified.problems).toEqual([]);
});
