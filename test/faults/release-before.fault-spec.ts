import { admin, adminJson } from '../cli/admin';
import { ServiceProcess } from '../main/service-process';
import { ApiClient, FileBody } from '../support/api-client';
import { ChangeReader, copyState, datagridState, follow } from '../support/change-reader';
import { eventually } from '../support/eventually';
import { dataOf, freshName, newDatagrid } from '../support/fixture';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { EarlierRelease } from './support/earlier-release';
import { printFigures } from './support/figures';
import { Loader } from './support/loader';
import { MIXED_COLUMNS, MixedWrites } from './support/mixed-writes';
import { compare, NumberedGrid } from './support/numbered-grid';
import { newOwner, type Owner } from './support/owner';
import { Replicas } from './support/replicas';
import { faultsAmong } from './support/summary';
import { SEED } from '../support/seeded-random';

let release: EarlierRelease | null = null;
let database: TestDatabase;
let replicas: Replicas;
let owner: Owner;

beforeAll(async () => {
  release = await EarlierRelease.build();
  database = await createTestDatabase();
  // The new release starts first and migrates the schema.
  replicas = await Replicas.start(1, { DATABASE_URL: database.url });
  owner = await newOwner(database.url);
});

afterAll(async () => {
  await replicas.kill();
  await ServiceProcess.killAll();
  await database.drop();
  await release?.remove();
});

/** Starts the previous release on the current schema; `null` if the history does not contain it. */
async function startBefore(): Promise<ServiceProcess | null> {
  if (!release) {
    process.stdout.write(
      'The previous release was not tested: the history here was cut before it.\n',
    );
    return null;
  }
  const service = ServiceProcess.start(
    {
      DATABASE_URL: database.url,
      HOST: '127.0.0.1',
      RATE_LIMIT_REQUESTS: '1000000',
    },
    { directory: release.directory },
  );
  await service.origin();
  return service;
}

/**
 * Verifies everything. The previous release does not write the change log, which is all that may be
 * wrong. @returns the names of the datagrids without a whole log.
 */
async function datagridsWithHoles(): Promise<string[]> {
  const settings = { DATABASE_URL: database.url };
  const { stdout } = await admin(settings, 'verify', '--json');
  const problems = JSON.parse(stdout).problems as { kind: string; datagridId: string }[];
  expect(problems.filter(({ kind }) => kind !== 'change_log')).toEqual([]);
  await admin(settings, 'verify', '--repair', '--json');
  expect((await adminJson(settings, 'verify')).problems).toEqual([]);
  return problems.map(({ datagridId }) => datagridId);
}

/** Writes with `one` as integrators do, and reads everything with both. @returns the number of calls. */
async function tour(one: ApiClient, other: ApiClient): Promise<number> {
  let calls = 0;
  const done = (
    response: Parameters<typeof dataOf>[0],
    status: number,
  ): ReturnType<typeof dataOf> => {
    calls += 1;
    return dataOf(response, status);
  };
  const workspace = done(await one.post('/workspaces', { name: freshName() }), 201).id;
  const columns = [
    { key: 'sku', type: 'text', unique: true, required: true },
    { key: 'n', type: 'integer', indexed: true },
  ];
  const made = { name: freshName(), columns };
  const { id } = done(await one.post(`/workspaces/${workspace}/datagrids`, made), 201);
  const grid = `/datagrids/${id}`;
  const rows = `${grid}/rows`;
  done(await one.post(rows, { values: { sku: 'a', n: 1 } }, { 'idempotency-key': made.name }), 201);
  done(
    await one.post(rows, { rows: [{ values: { sku: 'b', n: 2 } }, { values: { sku: 'c' } }] }),
    201,
  );
  done(await one.patch(`${rows}/1`, { values: { n: 11 } }), 200);
  done(await one.put(`${rows}/2`, { values: { sku: 'bb', n: 22 } }), 200);
  const lines = '{"sku":"d","n":4}\n{"sku":"e","n":5}\n';
  done(await one.post(`${rows}/import`, new FileBody('application/x-ndjson', lines)), 201);
  done(await one.post(`${grid}/columns`, { key: 'note', type: 'text' }), 201);
  done(await one.patch(`${grid}/columns/note`, { unique: true }), 200);
  done(await one.patch(`${rows}/5`, { values: { note: 'late' } }), 200);
  expect((await one.delete(`${rows}/3`)).status).toBe(204);
  expect((await one.post(rows, { values: { sku: 'a' } })).status).toBe(409);
  expect((await one.delete(grid)).status).toBe(204);
  done(await one.post(`/trash/${id}/restore`), 200);
  const expected = [
    [1, { sku: 'a', n: 11 }],
    [2, { sku: 'bb', n: 22 }],
    [4, { sku: 'd', n: 4 }],
    [5, { sku: 'e', n: 5, note: 'late' }],
  ];
  for (const api of [one, other]) {
    const filter = encodeURIComponent('{"n":{"$gt":0}}');
    for (const query of ['', `?filter=${filter}&sort=n`]) {
      const found = done(await api.get(`${rows}${query}`), 200) as {
        id: number;
        values: object;
      }[];
      const seen = found.map(({ id: rowId, values }) => [rowId, values]);
      expect(seen.sort()).toEqual(expected);
    }
    expect((await api.get(`${rows}/export?format=ndjson`)).text.split('\n')).toHaveLength(5);
    calls += 1;
  }
  return calls;
}

it('serves every call with the previous release on the new schema, beside the new release', async () => {
  const before = await startBefore();
  if (!before) return;
  const origins = [replicas.origins[0] ?? '', await before.origin()];
  const [now, earlier] = origins.map((origin) => new ApiClient(origin, owner.key)) as [
    ApiClient,
    ApiClient,
  ];
  const calls = (await tour(earlier, now)) + (await tour(now, earlier));

  const grid = await NumberedGrid.create(now);
  const loader = new Loader({ origins, key: owner.key, clients: 8, next: () => grid.nextCreate() });
  await eventually(() => loader.count(201) >= 200, 60_000);
  const results = await loader.stop();
  const found = compare(results, await grid.stored(earlier));
  printFigures('the previous release beside this one', {
    release: release?.commit.slice(0, 12) ?? '',
    calls,
    requests: results.length,
    acknowledged: found.acknowledged,
    lost: found.lost.length,
  });
  expect(faultsAmong(results)).toEqual([]);
  expect(found).toMatchObject({ acknowledged: results.length, lost: [], twice: [] });
  // The only datagrid that both wrote. A log without entries has no holes: it begins later.
  expect(await datagridsWithHoles()).toEqual([grid.path.split('/')[2]]);
  expect([await before.stop(), before.stderr()]).toEqual([0, '']);
});

it('tells readers of changes to start over after writes of the previous release, and to miss none', async () => {
  const before = await startBefore();
  if (!before) return;
  const origin = replicas.origins[0] ?? '';
  const [now, earlier] = [
    new ApiClient(origin, owner.key),
    new ApiClient(await before.origin(), owner.key),
  ];
  const path = await newDatagrid(now, MIXED_COLUMNS);
  const reader = new ChangeReader(owner.key, path);
  const session = { origin, limit: 100, pages: 1, end: AbortSignal.abort() } as const;
  const expectSame = async (): Promise<void> => {
    await reader.catchUp(origin);
    expect(copyState(reader)).toEqual(await datagridState(now, path));
  };
  const create = async (api: ApiClient, n: number): Promise<void> => {
    dataOf(await api.post(`${path}/rows`, { values: { n } }), 201);
  };

  // One write of the previous release, seen alone, and before, after and between those of this one.
  const orders = [[earlier], [now, earlier], [earlier, now], [now, earlier, now, now]];
  for (const [index, order] of orders.entries()) {
    await create(now, index);
    await expectSame();
    for (const api of order) await create(api, index);
    for (const form of ['pages', 'waits', 'lines', 'events'] as const) {
      expect([form, await reader.read({ ...session, form })]).toEqual([form, 410]);
    }
    reader.startOver();
    await expectSame();
  }

  // The previous release writes while a reader reads the rows.
  reader.startOver();
  expect(await reader.read({ ...session, form: 'pages', limit: 2 })).toBe('stopped');
  await create(earlier, 9);
  await create(now, 9);
  await expect(reader.catchUp(origin)).rejects.toThrow('The changes returned 410.');
  reader.startOver();
  await expectSame();

  // Both write and a reader follows, until the previous release is gone.
  const writes = new MixedWrites(path, SEED);
  const end = new AbortController();
  const next = (): Parameters<ChangeReader['read']>[0] => ({
    origin,
    form: writes.form(),
    limit: 1 + writes.below(100),
    pages: 1 + writes.below(5),
    end: end.signal,
  });
  const restartsBefore = reader.restarts;
  const following = follow(reader, { next, end: end.signal });
  const origins = [origin, await before.origin()];
  const loader = new Loader({ origins, key: owner.key, clients: 6, next: () => writes.next() });
  const count = (): number => loader.count(200) + loader.count(201) + loader.count(204);
  const hasStartedOver = (): boolean => reader.restarts > restartsBefore;
  await Promise.race([eventually(() => count() >= 200 && hasStartedOver(), 60_000), following]);
  const results = await loader.stop();
  expect([await before.stop(), before.stderr()]).toEqual([0, '']);
  end.abort();
  const { startedOver, failed } = await following;
  expect(faultsAmong(results)).toEqual([]);
  const last = await reader.read({ ...session, form: 'pages' });
  if (last === 410) reader.startOver();
  await expectSame();
  // From now on, readers have every change again.
  await create(now, 10);
  await expectSame();
  printFigures('a reader of changes beside the previous release', {
    seed: SEED,
    writes: count(),
    pages: reader.pages,
    items: reader.items,
    'started over': startedOver,
    'reads that failed': failed,
  });
  expect(startedOver).toBeGreaterThan(0);
  expect(await datagridsWithHoles()).toEqual([path.split('/')[2]]);
  // After the repair, the log begins anew.
  expect(await reader.read({ ...session, form: 'pages' })).toBe(410);
  reader.startOver();
  await expectSame();
});
