import { adminJson } from '../cli/admin';
import {
  ChangeReader,
  copyState,
  datagridState,
  follow,
  type Followed,
} from '../support/change-reader';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import { SEED, seededRandom, type RandomBelow } from '../support/seeded-random';
import { printFigures } from './support/figures';
import { sampleSize, draw } from '../support/samples';
import { Loader } from './support/loader';
import { MIXED_COLUMNS, MixedWrites } from './support/mixed-writes';
import { PostgresServer } from './support/postgres-server';
import { newOwner, type Owner } from './support/owner';
import { Replicas } from './support/replicas';
import { faultsAmong } from './support/summary';

const INSTANCES = 2;
const WRITERS = 6;
const READERS = 5;
/** `kill -9` of an instance, and once of PostgreSQL. */
const ALL_KILLS = ['postgres', 'instance', 'instance', 'instance', 'instance'] as const;
const COUNT = sampleSize({ few: 2, all: ALL_KILLS.length });
const KILLS = draw(ALL_KILLS.slice(0, COUNT), COUNT);
const MAX_WRITES_BETWEEN_KILLS = 300;
/** Writes after the last kill. */
const LAST_WRITES = 200;

let postgres: PostgresServer;
let replicas: Replicas;
let owner: Owner;
let datagrid: string;

beforeAll(async () => {
  postgres = await PostgresServer.start();
  const settings = { DATABASE_URL: postgres.url };
  replicas = await Replicas.start(INSTANCES, settings);
  // Pages of this one are cut after a few large rows.
  await replicas.add({ MAX_PAGE_BYTES: '60000' });
  owner = await newOwner(postgres.url);
});

beforeEach(async () => {
  datagrid = await newDatagrid(replicas.api(0, owner.key), MIXED_COLUMNS);
});

afterAll(async () => {
  await replicas.kill();
  await postgres.remove();
});

const written = (loader: Loader): number =>
  loader.count(200) + loader.count(201) + loader.count(204);

const verified = async (): Promise<unknown> =>
  (await adminJson({ DATABASE_URL: postgres.url }, 'verify')).problems;

async function kill(
  loader: Loader,
  what: (typeof ALL_KILLS)[number],
  below: RandomBelow,
): Promise<void> {
  const next = written(loader) + WRITERS + below(MAX_WRITES_BETWEEN_KILLS);
  await eventually(() => written(loader) >= next, 60_000);
  if (what === 'instance') {
    const index = below(INSTANCES);
    await replicas.get(index).stop('SIGKILL');
    await replicas.restart(index);
    return;
  }
  const rejected = loader.count(503);
  await postgres.kill();
  await eventually(() => loader.count(503) > rejected + WRITERS, 60_000);
  await postgres.start();
}

it('gives every reader every change while instances and PostgreSQL are killed', async () => {
  const below = seededRandom(SEED);
  const writes = new MixedWrites(datagrid, SEED);
  const loader = new Loader({
    origins: replicas.origins.slice(0, INSTANCES),
    key: owner.key,
    clients: WRITERS,
    next: () => writes.next(),
  });
  const end = new AbortController();
  const readers = Array.from({ length: READERS }, () => new ChangeReader(owner.key, datagrid));
  const reading = Promise.all(
    readers.map((reader, index): Promise<Followed> => {
      const random = new MixedWrites(datagrid, SEED + 1 + index);
      const next = (): Parameters<ChangeReader['read']>[0] => ({
        origin: replicas.origins[random.below(replicas.origins.length)] ?? '',
        form: random.form(),
        limit: 1 + random.below(random.below(2) === 0 ? 10 : 1_000),
        pages: 1 + random.below(10),
        end: end.signal,
      });
      return follow(reader, { next, end: end.signal });
    }),
  );
  // Fails the test at once if a reader finds a row that goes backwards.
  const work = (async () => {
    for (const what of KILLS) await kill(loader, what, below);
    const last = written(loader) + LAST_WRITES;
    await eventually(() => written(loader) >= last, 60_000);
  })();
  await Promise.race([work, reading.then(() => work)]);
  const results = await loader.stop();
  await replicas.allReady();
  end.abort();
  const followed = await reading;

  const state = await datagridState(replicas.api(0, owner.key), datagrid);
  for (const [index, reader] of readers.entries()) {
    await reader.catchUp(replicas.origins[index % replicas.origins.length] ?? '', 50);
    expect(copyState(reader)).toEqual(state);
  }
  const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  const startedOver = sum(followed.map((each) => each.startedOver));
  printFigures('readers of changes beside kill -9 of instances and of PostgreSQL', {
    seed: SEED,
    kills: KILLS.join(', '),
    writes: written(loader),
    'writes without a response': loader.count(0),
    'writes rejected': loader.count(503),
    readers: READERS,
    pages: sum(readers.map(({ pages }) => pages)),
    items: sum(readers.map(({ items }) => items)),
    'reads that failed': sum(followed.map(({ failed }) => failed)),
    'started over': startedOver,
    'rows in the end': state.rows.length,
  });
  expect(startedOver).toBe(0);
  expect(faultsAmong(results)).toEqual([]);
  expect(await verified()).toEqual([]);
});

it('tells readers to start over if a restored backup lacks what they have read, and only those', async () => {
  const api = replicas.api(0, owner.key);
  const origin = replicas.origins[0] ?? '';
  const create = async (n: number): Promise<void> => {
    dataOf(await replicas.api(0, owner.key).post(`${datagrid}/rows`, { values: { n } }), 201);
  };
  const newReader = async (): Promise<ChangeReader> => {
    const reader = new ChangeReader(owner.key, datagrid);
    await reader.catchUp(origin);
    return reader;
  };
  const expectSame = async (reader: ChangeReader): Promise<void> => {
    await reader.catchUp(origin);
    expect(copyState(reader)).toEqual(await datagridState(api, datagrid));
  };
  const session = { origin, form: 'pages', limit: 10, pages: 1, end: AbortSignal.abort() } as const;

  for (const n of [1, 2, 3]) await create(n);
  const early = await newReader();
  const amongRows = new ChangeReader(owner.key, datagrid);
  expect(await amongRows.read({ ...session, limit: 1 })).toBe('stopped');
  await create(4);
  const atBackup = await newReader();
  await postgres.backUp();
  await replicas.allReady();
  await create(5);
  const late = await newReader();
  const lateAmongRows = new ChangeReader(owner.key, datagrid);
  expect(await lateAmongRows.read({ ...session, limit: 1 })).toBe('stopped');
  await postgres.restore();
  for (let index = 0; index < replicas.services.length; index += 1) {
    await replicas.get(index).stop('SIGKILL');
    await replicas.restart(index);
  }
  const lateReaders = [late, lateAmongRows];
  const statuses = async (): Promise<unknown[]> =>
    Promise.all(
      lateReaders.flatMap((reader) =>
        (['pages', 'waits', 'lines', 'events'] as const).map((form) =>
          reader.read({ ...session, form }),
        ),
      ),
    );
  const allExpired = Array.from({ length: 8 }, () => 410);
  expect(await statuses()).toEqual(allExpired);
  // Another write now has the revision that the readers know.
  await create(6);
  expect(await statuses()).toEqual(allExpired);
  await create(7);
  expect(await statuses()).toEqual(allExpired);

  for (const reader of [early, amongRows, atBackup]) await expectSame(reader);
  for (const reader of lateReaders) {
    reader.startOver();
    await expectSame(reader);
  }
  expect(late.copy.list().map(({ values }) => values.n as number)).toEqual([1, 2, 3, 4, 6, 7]);
  expect(await verified()).toEqual([]);
});
