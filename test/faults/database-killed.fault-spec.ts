import { adminJson } from '../cli/admin';
import { eventually } from '../support/eventually';
import { printFigures } from './support/figures';
import { Loader } from './support/loader';
import { compare, NumberedGrid } from './support/numbered-grid';
import { PostgresServer } from './support/postgres-server';
import { newOwner, type Owner } from './support/owner';
import { Replicas } from './support/replicas';
import { faultsAmong, recoveryMs, withoutRetryAfter } from './support/summary';

const KILLS = 3;
/** 5 s, plus 1 s for a busy machine. */
const RECOVERY_MS = 5_000 + 1_000;

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
  const recovered: number[] = [];
  for (let kills = 0; kills < KILLS; kills += 1) {
    const before = loader.count(201);
    await eventually(() => loader.count(201) >= before + 350, 60_000);
    await postgres.kill();
    await eventually(() => loader.count(503) > 24 * (kills + 1), 60_000);
    await postgres.start();
    const backAtMs = performance.now();
    await eventually(() => recoveryMs(loader.results, backAtMs) < Infinity, 30_000);
    recovered.push(recoveryMs(loader.results, backAtMs));
  }
  const results = await loader.stop();
  await replicas.allReady();
  const found = compare(results, await grid.stored(replicas.api(0, owner.key)));
  printFigures(`kill -9 of PostgreSQL, ${String(KILLS)} times`, {
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
  expect(Math.max(...recovered)).toBeLessThan(RECOVERY_MS);
  const verified = await adminJson({ DATABASE_URL: postgres.url }, 'verify');
  expect(verified.problems).toEqual([]);
});
