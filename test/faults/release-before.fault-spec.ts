import { adminJson } from '../cli/admin';
import { ServiceProcess } from '../main/service-process';
import { ApiClient, FileBody } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, freshName } from '../support/fixture';
import { EarlierRelease } from './support/earlier-release';
import { printFigures } from './support/figures';
import { Loader } from './support/loader';
import { compare, NumberedGrid } from './support/numbered-grid';
import { PostgresServer } from './support/postgres-server';
import { newOwner, Replicas, type Owner } from './support/replicas';
import { faultsAmong } from './support/summary';

let release: EarlierRelease | null = null;
let postgres: PostgresServer;
let replicas: Replicas;
let owner: Owner;

beforeAll(async () => {
  release = await EarlierRelease.build();
  postgres = await PostgresServer.start();
  // The new release starts first and migrates the schema.
  replicas = await Replicas.start(1, { DATABASE_URL: postgres.url });
  owner = await newOwner(postgres.url);
});

afterAll(async () => {
  await replicas.kill();
  await ServiceProcess.killAll();
  await postgres.remove();
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
      DATABASE_URL: postgres.url,
      HOST: '127.0.0.1',
      RATE_LIMIT_REQUESTS: '1000000',
    },
    { directory: release.directory },
  );
  await service.origin();
  return service;
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
  await eventually(() => loader.count(201) >= 500, 60_000);
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
  const verified = await adminJson({ DATABASE_URL: postgres.url }, 'verify');
  expect(verified.problems).toEqual([]);
  expect([await before.stop(), before.stderr()]).toEqual([0, '']);
});
