import { adminJson } from '../cli/admin';
import { eventually } from '../support/eventually';
import { printFigures } from './support/figures';
import { Loader } from './support/loader';
import { compare, NumberedGrid } from './support/numbered';
import { PostgresServer } from './support/postgres-server';
import { newOwner, Replicas, type Owner } from './support/replicas';

const INSTANCES = 3;

let postgres: PostgresServer;
let replicas: Replicas;
let owner: Owner;

beforeAll(async () => {
  postgres = await PostgresServer.start();
  replicas = await Replicas.start(INSTANCES, { DATABASE_URL: postgres.url });
  owner = await newOwner(postgres.url);
});

afterAll(async () => {
  await replicas.kill();
  await postgres.remove();
});

const restart = async (index: number): Promise<void> => {
  await replicas.get(index).stop('SIGKILL');
  await replicas.restart(index);
};

it('promise 36: kill -9 of each instance during 1,000 acknowledged writes loses none, and makes none twice', async () => {
  const grid = await NumberedGrid.create(replicas.api(0, owner.key));
  const loader = new Loader({
    origins: replicas.origins,
    key: owner.key,
    clients: 24,
    next: () => grid.nextCreate(),
  });
  for (let index = 0; index < INSTANCES; index += 1) {
    const before = loader.count(201);
    await eventually(() => loader.count(201) >= before + 200, 60_000);
    await restart(index);
  }
  await eventually(() => loader.count(201) >= 1_000, 60_000);
  const results = await loader.stop();
  const found = compare(results, await grid.stored(replicas.api(0, owner.key)));
  printFigures('promise 36: kill -9 of each of three instances under writes', {
    requests: results.length,
    acknowledged: found.acknowledged,
    lost: found.lost.length,
    twice: found.twice.length,
    'without an answer': results.filter(({ status }) => status === 0).length,
    'of these stored': found.unasked,
  });
  expect(found).toMatchObject({ lost: [], twice: [] });
  expect(found.acknowledged).toBeGreaterThanOrEqual(1_000);
  // Some were cut off, or nothing was tried.
  expect(results.some(({ status }) => status === 0)).toBe(true);
  const verified = await adminJson({ DATABASE_URL: postgres.url }, 'verify');
  expect(verified.problems).toEqual([]);
});
