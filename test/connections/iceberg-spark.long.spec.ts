import { randomUUID } from 'node:crypto';
import type { TargetColumn, TargetWriter } from '../../src/destinations/destination';
import {
  describeWithIceberg,
  IcebergServer,
  SparkSession,
} from '../support/iceberg/iceberg-server';
import { csv } from './contract-lines';
import { destinationFor } from './iceberg-tables';

const COLUMNS = {
  name: { id: 1, name: 'name', type: 'text' },
  count: { id: 2, name: 'count', type: 'integer' },
  ratio: { id: 3, name: 'ratio', type: 'double' },
  price: { id: 4, name: 'price', type: 'decimal' },
  done: { id: 5, name: 'done', type: 'boolean' },
  day: { id: 6, name: 'day', type: 'date' },
  at: { id: 7, name: 'at', type: 'timestamp' },
  tags: { id: 8, name: 'tags', type: 'json' },
} satisfies Record<string, TargetColumn>;
const ALL = Object.values(COLUMNS);
const ROWS = 30_000;
/** Starting Java and Spark takes long on a busy machine. */
const TIMEOUT_MS = 300_000;

const cells = (id: number): string[] => [
  `name ${String(id)}`,
  String(id * 2),
  String(id / 2),
  `${String(id)}.25`,
  String(id % 2 === 0),
  '2026-11-21',
  '2026-11-21T09:30:00.123Z',
  `["${String(id)}"]`,
];
const ids = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, n) => from + n);
const loaded = (from: number, to: number, revision: number): ReturnType<typeof csv> =>
  csv(ids(from, to).map((id) => [String(id), String(revision), ...cells(id)]));

describeWithIceberg('Spark reads what an Iceberg destination has written', () => {
  const table = { id: randomUUID(), name: 'flights', deletions: 'delete' } as const;
  let server: IcebergServer;
  let spark: SparkSession;
  let writer: TargetWriter;

  beforeAll(async () => {
    server = await IcebergServer.start();
    spark = new SparkSession(server);
    writer = await destinationFor(server).open(table);
    await writer.claim(1);
    await writer.beginLoad(ALL, 'begun');
    await writer.append(ALL, loaded(1, 20_000, 5), 'first');
    await writer.append(ALL, loaded(20_001, ROWS, 5), 'second');
    await writer.finishLoad(ALL, 'loaded');
  }, TIMEOUT_MS);

  afterAll(async () => {
    await writer.close();
    await spark.close();
    await server.close();
  });

  const sums = 'count(*) AS rows, sum(_id) AS ids, sum(_revision) AS revisions';
  const snapshots = async (): Promise<readonly unknown[]> => {
    const history = await spark.query(
      'SELECT snapshot_id FROM lake.sales.flights.history ORDER BY made_current_at',
    );
    return history.map((row) => row['snapshot_id']);
  };

  it(
    'reads all rows, changes, columns and earlier snapshots with Spark, and nothing of a load in progress',
    async () => {
      const total = (ROWS * (ROWS + 1)) / 2;
      expect(await spark.queryOne(`SELECT ${sums} FROM lake.sales.flights`)).toEqual({
        rows: ROWS,
        ids: total,
        revisions: 5 * ROWS,
      });
      expect(
        await spark.queryOne(`SELECT sum(count) AS counts, sum(ratio) AS ratios,
          sum(CAST(price AS DECIMAL(38, 2))) AS prices, count_if(done) AS done
          FROM lake.sales.flights`),
      ).toEqual({
        counts: 2 * total,
        ratios: total / 2,
        prices: `${String(total + ROWS / 4)}.00`,
        done: ROWS / 2,
      });
      expect(await spark.query('SELECT * FROM lake.sales.flights WHERE _id = 20007')).toEqual([
        {
          _id: 20_007,
          _revision: 5,
          _synced_at: expect.stringMatching(/^\d{4}-/) as string,
          name: 'name 20007',
          count: 40_014,
          ratio: 10_003.5,
          price: '20007.25',
          done: false,
          day: '2026-11-21',
          at: '2026-11-21T09:30:00.123Z',
          tags: '["20007"]',
        },
      ]);
      const types = await spark.query('DESCRIBE TABLE lake.sales.flights');
      const named = types.map((row) => [row['col_name'], row['data_type']]);
      expect(Object.fromEntries(named)).toMatchObject({
        _id: 'bigint',
        _revision: 'bigint',
        _synced_at: 'timestamp',
        name: 'string',
        count: 'bigint',
        ratio: 'double',
        price: 'string',
        done: 'boolean',
        day: 'date',
        at: 'timestamp',
        tags: 'string',
      });

      // Updates, deletes and creates.
      const changes = [
        ...ids(1, 100).map((id) => [String(id), '6', 'false', 'changed', ...cells(id).slice(1)]),
        ...ids(101, 300).map((id) => [String(id), '6', 'true', ...ALL.map(() => null)]),
        [String(ROWS + 1), '6', 'false', ...cells(ROWS + 1)],
      ];
      await writer.merge(ALL, csv(changes), 'merged');
      expect(
        await spark.queryOne(`SELECT count(*) AS rows, count_if(name = 'changed') AS changed,
          count_if(_id BETWEEN 101 AND 300) AS deleted, max(_id) AS last
          FROM lake.sales.flights`),
      ).toEqual({ rows: ROWS - 199, changed: 100, deleted: 0, last: ROWS + 1 });

      // Columns by their ids: another one gets the name of a removed one. No file is written.
      const name: TargetColumn = { id: 9, name: 'name', type: 'integer' };
      const files = 'SELECT file_path FROM lake.sales.flights.files ORDER BY file_path';
      const filesBefore = await spark.query(files);
      await writer.changeColumns(
        { removed: [COLUMNS.name, COLUMNS.tags], widened: [], added: [name] },
        'renamed',
      );
      expect(await spark.query(files)).toEqual(filesBefore);
      expect(
        await spark.queryOne(`SELECT count(*) AS rows, count(name) AS names, sum(count) AS counts
          FROM lake.sales.flights`),
      ).toEqual({ rows: ROWS - 199, names: 0, counts: 2 * (total + ROWS + 1 - 40_100) });
      expect(
        await spark.query('SELECT _id FROM lake.sales.flights WHERE name IS NULL LIMIT 1'),
      ).toHaveLength(1);
      expect(await spark.query('SELECT _id FROM lake.sales.flights WHERE name > 0')).toEqual([]);
      const [beforeRename] = (await snapshots()).slice(-1);
      expect(
        await spark.query(`SELECT _id, name, tags FROM lake.sales.flights
          VERSION AS OF ${String(beforeRename)} WHERE _id IN (7, 20007) ORDER BY _id`),
      ).toEqual([
        { _id: 7, name: 'changed', tags: '["7"]' },
        { _id: 20_007, name: 'name 20007', tags: '["20007"]' },
      ]);
      const count: TargetColumn = { ...COLUMNS.count, type: 'double' };
      await writer.changeColumns({ removed: [], widened: [count], added: [] }, 'widened');
      const columns = [count, ...ALL.slice(2, 7), name];
      const [, , ...others] = cells(7);
      const line = ['7', '7', 'false', '0.5', ...others.slice(0, 5), '77'];
      await writer.merge(columns, csv([line]), 'merged again');
      expect(
        await spark.query(
          'SELECT _id, name, count FROM lake.sales.flights WHERE _id IN (7, 8) ORDER BY _id',
        ),
      ).toEqual([
        { _id: 7, name: 77, count: 0.5 },
        { _id: 8, name: null, count: 16 },
      ]);

      // Earlier snapshots have the rows and the columns of their time.
      const history = await snapshots();
      expect(history).toHaveLength(4);
      const [first, second] = history;
      expect(
        await spark.queryOne(
          `SELECT ${sums} FROM lake.sales.flights VERSION AS OF ${String(first)}`,
        ),
      ).toEqual({ rows: ROWS, ids: total, revisions: 5 * ROWS });
      expect(
        await spark.queryOne(`SELECT count(*) AS rows, count_if(name = 'changed') AS changed
          FROM lake.sales.flights VERSION AS OF ${String(second)}`),
      ).toEqual({ rows: ROWS - 199, changed: 100 });

      // A load that is not finished changes nothing.
      await writer.beginLoad(ALL, 'begun again');
      await writer.append(ALL, loaded(1, 10, 9), 'appended');
      expect(await spark.queryOne('SELECT count(*) AS rows FROM lake.sales.flights')).toEqual({
        rows: ROWS - 199,
      });
      expect(await snapshots()).toHaveLength(4);
      await writer.finishLoad(ALL, 'reloaded');
      expect(await spark.queryOne(`SELECT ${sums} FROM lake.sales.flights`)).toEqual({
        rows: 10,
        ids: 55,
        revisions: 90,
      });
      // The totals of the metadata are those of the rows.
      expect(
        await spark.queryOne(`SELECT sum(record_count) AS rows, count(*) AS files
          FROM lake.sales.flights.files`),
      ).toEqual({ rows: 10, files: 1 });
      expect(
        await spark.queryOne(`SELECT summary['total-records'] AS rows, operation
          FROM lake.sales.flights.snapshots ORDER BY committed_at DESC LIMIT 1`),
      ).toEqual({ rows: '10', operation: 'overwrite' });

      // The table has the files that its snapshots list, and no others.
      const listed = await spark.query(`
        SELECT file_path AS path FROM lake.sales.flights.all_data_files
        UNION SELECT path FROM lake.sales.flights.all_manifests
        UNION SELECT manifest_list FROM lake.sales.flights.snapshots`);
      const stored = (await server.storage.list('warehouse/')).filter(
        (key) => !key.endsWith('json'),
      );
      expect(stored.map((key) => `s3://lake/${key}`).sort()).toEqual(
        listed.map((row) => row['path']).sort(),
      );
      // Maintenance of the owner.
      expect((await server.describe('flights')).schemas).toBeGreaterThan(3);
      await spark.query(
        `CALL lake.system.expire_snapshots(table => 'sales.flights', older_than => TIMESTAMP '2999-01-01 00:00:00', retain_last => 1, clean_expired_metadata => true)`,
      );
      expect((await server.describe('flights')).schemas).toBe(1);
      await writer.merge(ALL, csv([['3', '10', 'true', ...ALL.map(() => null)]]), 'last');
      expect(await spark.queryOne(`SELECT ${sums} FROM lake.sales.flights`)).toEqual({
        rows: 9,
        ids: 52,
        revisions: 81,
      });

      // Files that the owner has compacted are noticed, and the table is loaded again.
      const compacted = await spark.queryOne(
        `CALL lake.system.rewrite_data_files(table => 'sales.flights', options => map('rewrite-all', 'true'))`,
      );
      expect(compacted).toMatchObject({ rewritten_data_files_count: 1 });
      const late = csv([['4', '11', 'true', ...ALL.map(() => null)]]);
      await expect(writer.merge(ALL, late, 'late')).rejects.toMatchObject({ kind: 'inconsistent' });
      await expect(writer.exists()).resolves.toBe(false);
      await writer.beginLoad(ALL, 'begun after it');
      await writer.append(ALL, loaded(1, 20, 12), 'appended');
      expect(await spark.queryOne(`SELECT ${sums} FROM lake.sales.flights`)).toMatchObject({
        rows: 9,
      });
      await writer.finishLoad(ALL, 'reloaded after it');
      expect(await spark.queryOne(`SELECT ${sums} FROM lake.sales.flights`)).toEqual({
        rows: 20,
        ids: 210,
        revisions: 240,
      });
    },
    TIMEOUT_MS,
  );
});
