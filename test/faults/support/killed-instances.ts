import { adminJson } from '../../cli/admin';
import { eventually } from '../../support/eventually';
import { printFigures } from './figures';
import { Loader, type Call, type CallResult } from './loader';
import { compare, NumberedGrid } from './numbered-grid';
import { newOwner, type Owner } from './owner';
import { Replicas } from './replicas';
import { RetriedWrites } from './retried-writes';
import { faultsAmong } from './summary';

const PAUSE_MS = 10;

/** A database of a suite. */
export interface OpenDatabase {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Tests what becomes of writes if instances of the service are killed. */
export function testKilledInstances(count: number, open: () => Promise<OpenDatabase>): void {
  let database: OpenDatabase;
  let replicas: Replicas;
  let owner: Owner;
  let grid: NumberedGrid;

  beforeAll(async () => {
    database = await open();
    replicas = await Replicas.start(count, { DATABASE_URL: database.url });
    owner = await newOwner(database.url);
  });

  beforeEach(async () => {
    grid = await NumberedGrid.create(replicas.api(0, owner.key));
  });

  afterAll(async () => {
    await replicas.kill();
    await database.close();
  });

  const load = (next: ConstructorParameters<typeof Loader>[0]['next'], clients = 24): Loader =>
    new Loader({ origins: replicas.origins, key: owner.key, clients, pauseMs: PAUSE_MS, next });

  /** Kills and restarts each instance in turn under load, until 1,000 writes are acknowledged. */
  const killEach = async (loader: Loader): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      const before = loader.count(201);
      await eventually(() => loader.count(201) >= before + 100, 60_000);
      await replicas.get(index).stop('SIGKILL');
      await replicas.restart(index);
    }
    await eventually(() => loader.count(201) >= 1_000, 60_000);
  };

  const expectWhole = async (results: readonly CallResult[]): Promise<void> => {
    expect(faultsAmong(results)).toEqual([]);
    // Without interrupted writes, the test would prove nothing.
    expect(results.some(({ status }) => status === 0)).toBe(true);
    const verified = await adminJson({ DATABASE_URL: database.url }, 'verify');
    expect(verified.problems).toEqual([]);
  };

  it('loses no acknowledged write and applies none twice if each instance is killed during 1,000 writes', async () => {
    const loader = load(() => grid.nextCreate());
    await killEach(loader);
    const results = await loader.stop();
    const found = compare(results, await grid.stored(replicas.api(0, owner.key)));
    printFigures(`kill -9 of each of ${String(count)} instances`, {
      requests: results.length,
      acknowledged: found.acknowledged,
      lost: found.lost.length,
      twice: found.twice.length,
      'without a response': loader.count(0),
      'of these stored': found.unacknowledged,
    });
    expect(found).toMatchObject({ lost: [], twice: [] });
    await expectWhole(results);
  });

  it('applies a write once if it is cut off by kill -9 and sent again with its Idempotency-Key', async () => {
    const writes = new RetriedWrites(grid);
    const loader = load(writes.next);
    await killEach(loader);
    writes.end();
    const results = await loader.done();
    const found = compare(results, await grid.stored(replicas.api(0, owner.key)));
    printFigures(`kill -9 of each of ${String(count)} instances, retried`, {
      requests: results.length,
      acknowledged: found.acknowledged,
      lost: found.lost.length,
      twice: found.twice.length,
      'without a response': loader.count(0),
      'sent again': results.length - found.acknowledged,
    });
    // Every write was acknowledged in the end and is stored once.
    expect(found).toMatchObject({ lost: [], twice: [], unacknowledged: 0 });
    await expectWhole(results);
  });

  it('creates one row from 50 concurrent requests with one Idempotency-Key over all instances', async () => {
    const call: Call = { ...grid.nextCreate(), headers: { 'idempotency-key': 'all of us' } };
    const isDone = (last: CallResult | undefined): boolean => last?.status === 201;
    const loader = load((_client, last) => (isDone(last) ? undefined : call), 50);
    const results = await loader.done();
    const stored = await grid.stored(replicas.api(0, owner.key));
    printFigures('50 creates with one key', {
      requests: results.length,
      acknowledged: loader.count(201),
      'told to wait': loader.count(409),
      rows: stored.length,
    });
    expect(faultsAmong(results)).toEqual([]);
    expect(loader.count(201)).toBe(50);
    expect(
      new Set(results.filter(({ status }) => status === 201).map(({ text }) => text)).size,
    ).toBe(1);
    expect(stored).toHaveLength(1);
  });
}
