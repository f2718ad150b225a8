import { randomUUID } from 'node:crypto';
import type {
  DeletionMode,
  TargetColumn,
  TargetTable,
  TargetWriter,
} from '../../src/destinations/destination';
import type { FileLimits } from '../../src/destinations/files/segments';
import { describeWithIceberg, IcebergServer } from '../support/iceberg/iceberg-server';
import { CatalogProxy, COMMIT_FAULTS } from './catalog-proxy';
import { csv } from './contract-lines';
import { destinationFor, readTable } from './iceberg-tables';

const COLUMNS: readonly TargetColumn[] = [{ id: 1, name: 'name', type: 'text' }];
const HOUR_MS = 3_600_000;
const SYNCS = 120;

jest.setTimeout(180_000);

describeWithIceberg('an Iceberg table in a world that fails', () => {
  let server: IcebergServer;
  let proxy: CatalogProxy;
  let serial = 0;
  const writers: TargetWriter[] = [];

  beforeAll(async () => {
    server = await IcebergServer.start();
    proxy = await CatalogProxy.start(server.catalogPort);
  });

  afterEach(async () => {
    proxy.faults = [];
    proxy.beforeCommit = undefined;
    jest.restoreAllMocks();
    for (const writer of writers.splice(0)) await writer.close();
  });

  afterAll(async () => {
    await proxy.close();
    await server.close();
  });

  const open = async (table: TargetTable, limits?: FileLimits): Promise<TargetWriter> => {
    const { settings, secretAccessKey } = server;
    const login = { settings: { ...settings, uri: proxy.uri }, secretAccessKey };
    const writer = await destinationFor(login, limits).open(table);
    writers.push(writer);
    return writer;
  };

  const newTable = (deletions: DeletionMode = 'delete'): TargetTable => {
    serial += 1;
    return { id: randomUUID(), name: `peaks_${String(serial)}`, deletions };
  };

  const load = async (
    table: TargetTable,
    state = 'loaded',
    limits?: FileLimits,
  ): Promise<TargetWriter> => {
    const writer = await open(table, limits);
    await writer.claim(1);
    await writer.beginLoad(COLUMNS, 'begun');
    await writer.append(COLUMNS, csv([['1', '1', 'a']]), 'first');
    await writer.append(COLUMNS, csv([['2', '1', 'b']]), 'second');
    await writer.finishLoad(COLUMNS, state);
    return writer;
  };

  const merge = (writer: TargetWriter, name: string, revision = 2): Promise<void> =>
    writer.merge(COLUMNS, csv([['1', String(revision), 'false', name]]), name);

  const namesIn = async ({ name }: TargetTable): Promise<unknown> =>
    (await readTable(server, name))?.map((row) => row['name']);

  it.each(COMMIT_FAULTS)('makes a commit once whose outcome is not known: %s', async (fault) => {
    const table = newTable();
    const writer = await load(table);
    proxy.faults = [fault];
    await merge(writer, 'merged');
    const { history } = await server.describe(table.name);
    expect(history).toHaveLength(2);
    expect(await namesIn(table)).toEqual(['merged', 'b']);
    await merge(writer, 'again', 3);
    expect(await namesIn(table)).toEqual(['again', 'b']);
    expect((await server.describe(table.name)).history).toHaveLength(3);
  });

  it('makes each commit of a load once, whatever happens to the responses', async () => {
    const table = newTable();
    const writer = await open(table);
    for (const step of [
      () => writer.claim(1),
      () => writer.beginLoad(COLUMNS, 'begun'),
      () => writer.append(COLUMNS, csv([['1', '1', 'a']]), 'first'),
      () => writer.append(COLUMNS, csv([['2', '1', 'b']]), 'second'),
      () => writer.finishLoad(COLUMNS, 'loaded'),
    ]) {
      proxy.faults = ['noResponse', 'failsAfterwards'];
      await step();
    }
    expect(await namesIn(table)).toEqual(['a', 'b']);
    expect((await server.describe(table.name)).history).toHaveLength(1);
  });

  it('fails as unavailable while the catalog is unavailable, and continues from its last commit', async () => {
    const table = newTable();
    const writer = await load(table);
    proxy.faults = Array.from({ length: 4 }, () => 'unavailable');
    await expect(merge(writer, 'merged')).rejects.toMatchObject({ kind: 'unavailable' });
    const next = await open(table);
    await expect(next.claim(2)).resolves.toBe('loaded');
    await merge(next, 'merged');
    expect(await namesIn(table)).toEqual(['merged', 'b']);
  });

  it('rejects the commit of a worker whose table was claimed while it was on its way', async () => {
    const table = newTable();
    const writer = await load(table);
    const other = await open(table);
    let isFirst = true;
    proxy.beforeCommit = async () => {
      if (!isFirst) return;
      isFirst = false;
      await other.claim(2);
    };
    await expect(merge(writer, 'late')).rejects.toMatchObject({ token: 2 });
    expect(await namesIn(table)).toEqual(['a', 'b']);
    await merge(other, 'merged');
    expect(await namesIn(table)).toEqual(['merged', 'b']);
  });

  it('notices rows that somebody else has written, and loads the table again', async () => {
    const table = newTable();
    const writer = await load(table);
    await server.ask('append', table.name);
    await expect(merge(writer, 'merged')).rejects.toMatchObject({ kind: 'inconsistent' });
    await expect(writer.exists()).resolves.toBe(false);
    await writer.beginLoad(COLUMNS, 'begun');
    await writer.append(COLUMNS, csv([['5', '5', 'e']]), 'first');
    expect(await namesIn(table)).toHaveLength(3);
    await writer.finishLoad(COLUMNS, 'reloaded');
    expect(await namesIn(table)).toEqual(['e']);
    await expect(writer.exists()).resolves.toBe(true);
  });

  it('keeps marked rows and earlier versions if somebody else has written to the table', async () => {
    for (const mode of ['mark', 'history'] as const) {
      const table = newTable(mode);
      const writer = await load(table);
      const changes = [
        ['1', '2', 'false', 'A'],
        ['2', '3', 'true', null],
      ];
      await writer.merge(COLUMNS, csv(changes), 'merged');
      await server.ask('append', table.name);
      await writer.close();
      const next = await open(table);
      await expect(next.claim(2)).resolves.toBe('merged');
      await expect(next.exists()).resolves.toBe(false);
      await next.beginLoad(COLUMNS, 'begun');
      await next.close();
      const last = await open(table);
      await expect(last.claim(3)).resolves.toBe('begun');
      await last.append(COLUMNS, csv([['1', '2', 'A']]), 'first');
      await last.finishLoad(COLUMNS, 'reloaded');
      const rows = (await readTable(server, table.name, true)) ?? [];
      const end = mode === 'mark' ? '_deleted_at' : '_valid_to';
      const read = rows.map((row) => [row['_id'], row['name'], row[end] !== null]);
      expect(read.sort()).toEqual([
        ...(mode === 'history' ? [[1, 'A', false]] : []),
        ...(mode === 'history' ? [[1, 'a', true]] : [[1, 'A', false]]),
        [2, 'b', true],
      ]);
    }
  });

  it('adds and removes columns in one commit that writes no data file', async () => {
    const table = newTable('mark');
    const writer = await load(table);
    const before = await server.describe(table.name);
    const folder = `${before.location.replace(/^s3:\/\/lake\//, '')}/data/`;
    const stored = await server.storage.list(folder);
    const other: TargetColumn = { id: 9, name: 'name', type: 'text' };
    const height: TargetColumn = { id: 10, name: 'height', type: 'integer' };
    const { commits } = proxy;
    const plan = { removed: COLUMNS, widened: [], added: [other, height] };
    await writer.changeColumns(plan, 'changed');
    expect(proxy.commits).toBe(commits + 1);
    // No file has values of this column.
    const wide: TargetColumn = { ...height, type: 'double' };
    await writer.changeColumns({ removed: [], widened: [wide], added: [] }, 'widened');
    const after = await server.describe(table.name);
    expect([after.files, after.history]).toEqual([before.files, before.history]);
    expect(await server.storage.list(folder)).toEqual(stored);
    expect(await namesIn(table)).toEqual([null, null]);

    // Values of the removed column are not written to new files either.
    const columns = [other, wide];
    const change = ['1', '3', 'false', 'new', '8849.5'];
    await writer.merge(columns, csv([change, ['2', '4', 'true', null, null]]), 'merged again');
    const read = await readTable(server, table.name);
    expect(read).toEqual([
      { _id: 1, _revision: 3, name: 'new', height: 8849.5 },
      { _id: 2, _revision: 4, name: null, height: null, _deleted_at: true },
    ]);

    // A worker that has not written the files finds their columns in the manifests.
    await writer.close();
    const next = await open(table);
    await expect(next.claim(2)).resolves.toBe('merged again');
    const text: TargetColumn = { ...height, type: 'text' };
    await next.changeColumns({ removed: [], widened: [text], added: [] }, 'widened again');
    expect((await readTable(server, table.name))?.[0]).toMatchObject({ height: '8849.5' });
    expect((await server.describe(table.name)).files).not.toEqual(before.files);
  });

  it('notices a missing data file and a missing manifest, and loads the table again', async () => {
    for (const kind of ['parquet', 'avro']) {
      const table = newTable();
      const writer = await load(table);
      const { location } = await server.describe(table.name);
      const [, , bucket = '', ...path] = location.split('/');
      const objects = await server.storage.list(`${path.join('/')}/`);
      for (const key of objects.filter((each) => each.endsWith(kind))) {
        await server.storage.delete(key);
      }
      expect(bucket).toBe('lake');
      await writer.close();
      const next = await open(table);
      await expect(next.claim(2)).resolves.toBe('loaded');
      await expect(next.exists()).resolves.toBe(false);
      await next.beginLoad(COLUMNS, 'begun');
      await next.append(COLUMNS, csv([['5', '5', 'e']]), 'first');
      await next.finishLoad(COLUMNS, 'reloaded');
      expect(await namesIn(table)).toEqual(['e']);
    }
  });

  it('keeps a state of a megabyte', async () => {
    const table = newTable();
    const state = JSON.stringify(Array.from({ length: 40_000 }, (_, n) => `column ${String(n)}`));
    await load(table, state);
    const next = await open(table);
    await expect(next.claim(2)).resolves.toBe(state);
  });

  it('removes snapshots and files that nobody has needed for hours, and no others', async () => {
    const table = newTable();
    const writer = await load(table);
    for (const revision of [2, 3, 4]) await merge(writer, `old ${String(revision)}`, revision);
    const before = await server.describe(table.name);
    expect(before.history).toHaveLength(4);
    const folder = `${before.location.replace(/^s3:\/\/lake\//, '')}/data/`;
    expect(await server.storage.list(folder)).toHaveLength(4);
    const now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => now + 4 * HOUR_MS);
    await merge(writer, 'new', 5);
    // The last one was seen until now.
    const after = await server.describe(table.name);
    expect([after.history.length, after.snapshots]).toEqual([2, 2]);
    expect(await namesIn(table)).toEqual(['new', 'b']);
    const kept = (await server.storage.list(folder)).map((key) => `s3://lake/${key}`);
    expect(kept.sort()).toEqual([...before.files, ...after.files].sort());
  });

  it('keeps manifests, snapshots, properties and files few over many syncs', async () => {
    const table = newTable();
    const writer = await load(table);
    const sizes = async (): Promise<Readonly<Record<string, number>>> => {
      const { location, properties, snapshots, manifests } = await server.describe(table.name);
      const folder = location.replace(/^s3:\/\/lake\//, '');
      const [data, metadata] = await Promise.all(
        ['data', 'metadata'].map((name) => server.storage.list(`${folder}/${name}/`)),
      );
      return {
        properties: Object.keys(properties).length,
        snapshots,
        manifests,
        dataFiles: data?.length ?? 0,
        metadataFiles: metadata?.length ?? 0,
        metadataBytes: await server.metadataBytes(table.name),
      };
    };
    const start = Date.now();
    let sync = 0;
    jest.spyOn(Date, 'now').mockImplementation(() => start + sync * 300_000);
    const run = async (last: number): Promise<void> => {
      for (; sync < last; sync += 1) {
        await writer.claim(sync + 2);
        await merge(writer, `merged ${String(sync)}`, sync + 2);
      }
    };
    await run(50);
    const early = await sizes();
    await run(SYNCS);
    const late = await sizes();
    process.stdout.write(`after 50 and ${String(SYNCS)} syncs: ${JSON.stringify([early, late])}\n`);
    // Snapshots stay for 3 hours, which are 36 syncs.
    expect(late['snapshots']).toBeLessThanOrEqual(40);
    expect(late['manifests']).toBeLessThanOrEqual(42);
    expect(late['properties']).toBe(early['properties']);
    for (const name of ['dataFiles', 'metadataFiles', 'metadataBytes']) {
      expect([name, (late[name] ?? 0) <= (early[name] ?? 0) * 1.2]).toEqual([name, true]);
    }
    expect(await namesIn(table)).toEqual([`merged ${String(SYNCS - 1)}`, 'b']);
  });

  it('merges the manifests of a table that grows by many files', async () => {
    const table = newTable();
    const writer = await load(table, 'loaded', { rows: 10, bytes: 1_000_000 });
    const counts: number[] = [];
    for (let part = 1; part <= 60; part += 1) {
      const lines = Array.from({ length: 10 }, (_, n) => [
        ...[String(part * 10 + n), String(part + 1), 'false', 'new'],
      ]);
      await writer.merge(COLUMNS, csv(lines), String(part));
      if (part % 20 === 0) counts.push((await server.describe(table.name)).manifests);
    }
    expect((await server.describe(table.name)).files).toHaveLength(60);
    expect(counts).toEqual([20, 40, 20]);
    expect(await namesIn(table)).toHaveLength(602);
  });

  it('leaves nothing behind that no snapshot lists', async () => {
    const table = newTable();
    const writer = await load(table);
    await expect(
      writer.merge(COLUMNS, csv([['1', '2', 'false', 'a', 'too many']]), 'wrong'),
    ).rejects.toThrow();
    await writer.beginLoad(COLUMNS, 'begun');
    await writer.append(COLUMNS, csv([['7', '1', 'never']]), 'first');
    await writer.beginLoad(COLUMNS, 'begun again');
    await writer.append(COLUMNS, csv([['8', '1', 'loaded']]), 'second');
    await writer.finishLoad(COLUMNS, 'reloaded');
    await writer.close();
    const { location } = await server.describe(table.name);
    const folder = `${location.replace(/^s3:\/\/lake\//, '')}/data/`;
    // One file of the first load, which earlier snapshots have, and one of the second.
    expect((await server.storage.list(folder)).length).toBeLessThanOrEqual(3);
    expect(await namesIn(table)).toEqual(['loaded']);
  });

  it('says that the namespace has a table with its name', async () => {
    const table = newTable();
    await server.ask('create', table.name);
    const writer = await open(table);
    await writer.claim(1);
    await expect(writer.beginLoad(COLUMNS, 'begun')).rejects.toThrow(
      `The namespace has a table or view "${table.name}" that this connection did not create. Rename or drop it, or choose another name for the table.`,
    );
  });
});
