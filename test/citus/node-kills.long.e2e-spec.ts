import { adminJson } from '../cli/admin';
import { printFigures } from '../faults/support/figures';
import { Loader } from '../faults/support/loader';
import { compare, NumberedGrid } from '../faults/support/numbered-grid';
import { newOwner, type Owner } from '../faults/support/owner';
import { Replicas } from '../faults/support/replicas';
import { RetriedWrites } from '../faults/support/retried-writes';
import { faultsAmong, summary, withoutRetryAfter } from '../faults/support/summary';
import { describeCitus } from '../support/citus-cluster';
import { eventually } from '../support/eventually';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { ClusterNode } from './cluster-node';

const INSTANCES = 2;
const GRIDS = 4;
const CLIENTS = 6;
const WRITES = 200;

jest.setTimeout(600_000);

/** Only an operator can start a killed node again: `CITUS_START` is a command that does. */
const describeKills = (name: string, suite: () => void): void => {
  if (process.env['CITUS_START'] !== undefined) describeCitus(name, suite);
  else describe.skip(`${name} (skipped: CITUS_START is not set)`, suite);
};

describeKills('nodes of a Citus cluster that are killed while two instances write', () => {
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

  it.each(['worker', 'coordinator'] as const)(
    'lose no acknowledged write and apply none twice: %s',
    async (kind) => {
      const api = replicas.api(0, owner.key);
      const grids: NumberedGrid[] = [];
      while (grids.length < GRIDS) grids.push(await NumberedGrid.create(api));
      const writes = grids.map((grid) => new RetriedWrites(grid));
      const loaders = writes.map(
        ({ next }) =>
          new Loader({ origins: replicas.origins, key: owner.key, clients: CLIENTS, next }),
      );
      const written = (): number => loaders.reduce((sum, loader) => sum + loader.count(201), 0);
      const node = await ClusterNode.find(database.url, kind);
      await eventually(() => written() >= WRITES, 120_000);
      await node.kill();
      const rejected = (): number => loaders.reduce((sum, loader) => sum + loader.count(503), 0);
      await eventually(() => rejected() > CLIENTS, 120_000);
      await ClusterNode.startAll();
      const before = written();
      await eventually(() => written() >= before + WRITES, 240_000);
      for (const each of writes) each.end();
      const results = await Promise.all(loaders.map((loader) => loader.done()));

      await replicas.allReady();
      const found = [];
      for (const [index, grid] of grids.entries()) {
        found.push(compare(results[index] ?? [], await grid.stored(api)));
      }
      printFigures(`kill -9 of the ${kind}`, {
        ...summary(results.flat()),
        lost: found.flatMap(({ lost }) => lost).length,
        twice: found.flatMap(({ twice }) => twice).length,
      });
      expect(faultsAmong(results.flat())).toEqual([]);
      expect(withoutRetryAfter(results.flat())).toEqual([]);
      for (const each of found) {
        expect(each).toMatchObject({ lost: [], twice: [], unacknowledged: 0 });
      }
      expect((await adminJson({ DATABASE_URL: database.url }, 'verify')).problems).toEqual([]);
    },
  );
});
