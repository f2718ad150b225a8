import { adminJson } from '../cli/admin';
import { printFigures } from '../faults/support/figures';
import { Loader, type Call, type CallResult } from '../faults/support/loader';
import { MIXED_COLUMNS, MixedWrites } from '../faults/support/mixed-writes';
import { compare, NumberedGrid } from '../faults/support/numbered-grid';
import { newOwner, type Owner } from '../faults/support/owner';
import { Replicas } from '../faults/support/replicas';
import { faultsAmong, summary, withoutRetryAfter } from '../faults/support/summary';
import { ChangeReader, copyState, datagridState, follow } from '../support/change-reader';
import { newDatagrid } from '../support/fixture';
import { describeCitus } from '../support/citus-cluster';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { ImportedRows } from './imported-rows';
import { OwnRows } from './own-rows';
import { ShardMover, type TransferMode } from './shard-mover';

const INSTANCES = 2;
const CLIENTS = 4;
/** Each shard is moved once in each mode. */
const MODES: readonly TransferMode[] = ['force_logical', 'block_writes'];

jest.setTimeout(900_000);

describeCitus('shards that are moved while two instances read and write', () => {
  let database: TestDatabase;
  let replicas: Replicas;
  let owner: Owner;
  let mover: ShardMover;

  beforeAll(async () => {
    database = await createTestDatabase();
    replicas = await Replicas.start(INSTANCES, { DATABASE_URL: database.url });
    owner = await newOwner(database.url);
    mover = await ShardMover.open(database.url);
  });

  afterAll(async () => {
    await mover.close();
    await replicas.kill();
    await database.drop();
  });

  const load = (next: ConstructorParameters<typeof Loader>[0]['next']): Loader =>
    new Loader({ origins: replicas.origins, key: owner.key, clients: CLIENTS, next });

  it.each(MODES)('lose, repeat and reorder nothing: %s', async (mode) => {
    const api = replicas.api(0, owner.key);
    const grid = await NumberedGrid.create(api);
    const mixed = await newDatagrid(api, MIXED_COLUMNS);
    const own = await OwnRows.create(api, CLIENTS);
    const imported = await ImportedRows.create(api);
    const reads = readsOf([grid.path, mixed, imported.path]);
    const readers = [grid.path, mixed].map((path) => new ChangeReader(owner.key, path));
    for (const reader of readers) await reader.catchUp(replicas.origins[0] ?? '');

    const random = new MixedWrites(mixed, Date.now() % 1_000_000);
    const creates = load(() => grid.nextCreate());
    const owned = load(own.next);
    const others = [load(() => random.next()), load(() => reads())];
    const end = new AbortController();
    const importing = imported.run(end.signal);
    const reading = Promise.all(
      readers.map((reader, index) => {
        const origin = replicas.origins[index % INSTANCES] ?? '';
        const session = { origin, form: 'waits', limit: 500, pages: 10, end: end.signal } as const;
        return follow(reader, { next: () => session, end: end.signal });
      }),
    );
    const tookMs = await mover.moveAll(mode);
    own.end();
    const results = [await creates.stop(), await owned.done()];
    for (const loader of others) results.push(await loader.stop());
    end.abort();
    await importing;
    await reading;

    const all: readonly CallResult[] = results.flat();
    const found = compare(creates.results, await grid.stored(api));
    printFigures(`moves of shards by ${mode}`, {
      moves: tookMs.length,
      'longest move ms': Math.max(...tookMs),
      ...summary(all),
      lost: found.lost.length,
      twice: found.twice.length,
      'not acknowledged and stored': found.unacknowledged,
      'writes of own rows': own.acknowledged,
      'imports completed': imported.completed,
      'imports failed': imported.failed,
      changes: readers.map(({ items }) => items).join(' and '),
    });
    expect(faultsAmong(all)).toEqual([]);
    expect(withoutRetryAfter(all)).toEqual([]);
    expect(found).toMatchObject({ lost: [], twice: [] });
    expect(await own.storedRows(api)).toEqual(own.expectedRows());
    expect(await imported.wrongRows()).toEqual([]);
    for (const [index, path] of [grid.path, mixed].entries()) {
      const reader = readers[index];
      await reader?.catchUp(replicas.origins[1] ?? '');
      expect(reader && copyState(reader)).toEqual(await datagridState(api, path));
    }
    // One change for the columns, and one for each create.
    expect(readers[0]?.items).toBe(1 + (await grid.stored(api)).length);
    expect((await adminJson({ DATABASE_URL: database.url }, 'verify')).problems).toEqual([]);
  });
});

/** Returns a function that returns reads of datagrids in turn. */
function readsOf(paths: readonly string[]): () => Call {
  const calls = paths.flatMap((path): Call[] => [
    { method: 'GET', path: `${path}/rows?limit=20` },
    { method: 'GET', path: `${path}/rows?cursor=&sort=-n&limit=20` },
    { method: 'GET', path },
  ]);
  let sent = 0;
  return () => {
    const call = calls[(sent += 1) % calls.length];
    if (!call) throw new Error('There is nothing to read.');
    return call;
  };
}
